// Starts the viewer of a single HTML file: unpacks both programs and opens the session that the file holds.
"use strict";

/** Decodes base64, which may be split into lines. */
function fromBase64(text) {
  if (Uint8Array.fromBase64) return [Uint8Array.fromBase64(text)];
  const plain = text.replace(/\s+/g, "");
  const parts = [];
  for (let at = 0; at < plain.length; at += 1 << 20) {
    const binary = atob(plain.slice(at, at + (1 << 20)));
    const bytes = new Uint8Array(binary.length);
    for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
    parts.push(bytes);
  }
  return parts;
}

/**
 * Decodes a data block: five characters from "(" to "|" are four bytes, with "}" in place of "<", so that a block cannot
 * end the element that holds it. The block is a quarter larger than its content; base64 would be a third larger.
 */
function fromBase85(text, length) {
  const bytes = new Uint8Array((text.length / 5) * 4);
  for (let from = 0, to = 0; from < text.length; from += 5, to += 4) {
    let value = 0;
    for (let i = from; i < from + 5; i++) {
      const code = text.charCodeAt(i);
      value = value * 85 + (code === 125 ? 20 : code - 40);
    }
    bytes[to] = value >>> 24;
    bytes[to + 1] = value >>> 16;
    bytes[to + 2] = value >>> 8;
    bytes[to + 3] = value;
  }
  return bytes.subarray(0, length);
}

/** Takes a data block out of the page. */
function taken(name) {
  const block = document.getElementById(`queryscope-${name}`);
  const packed = fromBase85(block.textContent, Number(block.dataset.length));
  block.remove();
  return packed;
}

/** Takes the program that unpacks the others, which browsers unpack themselves. */
async function unpackerModule() {
  const unpacked = new Blob([taken("unpack")]).stream().pipeThrough(new DecompressionStream("gzip"));
  return WebAssembly.compile(await new Response(unpacked).arrayBuffer());
}

function unpacked(name) {
  const bytes = unpacker.unpack(taken(name));
  if (!bytes) throw new Error(`The program “${name}” is damaged.`);
  return bytes;
}

/** The session file that this file holds, named like the file; `null` if it holds none. */
function session(block) {
  const text = block.textContent.trim();
  block.textContent = "";
  if (!text) return null;
  const file = location.pathname.split("/").pop();
  let name = "session";
  try {
    name = decodeURIComponent(file).replace(/\.html?$/i, "") || name;
  } catch {
    // A name with a percent sign that is no escape: the session keeps its usual name.
  }
  try {
    return new File(fromBase64(text), `${name}.queryscope`);
  } catch (error) {
    throw new Error(`The trace in this file is damaged: ${error.message}`);
  }
}

function explain(error) {
  console.error(error);
  const place = document.getElementById("boot");
  place.textContent =
    "This file could not be shown. It needs a browser with WebAssembly (SIMD) and DecompressionStream: Chrome 91, " +
    `Firefox 114, Safari 16.4 or newer. If your browser is recent enough, the file is incomplete. The browser reports: ${error}`;
  place.hidden = false;
}

async function start() {
  const file = session(document.getElementById("queryscope-session"));
  // The document without its session is the template of the next file that is saved.
  const template = new Blob([`<!DOCTYPE html>\n${document.documentElement.outerHTML}\n`]);
  await unpacker({ module_or_path: await unpackerModule() });
  // While the page is compiled, the engine is unpacked.
  const page = WebAssembly.compile(unpacked("page"));
  const engine = WebAssembly.compile(unpacked("engine"));
  const script = new TextDecoder().decode(unpacked("worker"));
  await wasm_bindgen({ module_or_path: await page });
  const module = await engine;
  const viewer = wasm_bindgen.mount_site(document.body, {
    engine: { script, module },
    template,
    isSingleFile: true,
  });
  if (file) viewer.open([file], true);
}

start().catch(explain);
