// Traces that a page passes as bytes. Loaded when a page does so: a trace with an address is read by the engine itself.

const MAX_NAME = 200;

/** An error that a program can recognise by its code. */
function failure(code, message) {
  return Object.assign(new Error(message), { name: "QueryscopeError", code, title: "" });
}

function tooLarge(most) {
  return failure("too-large", `The trace is larger than ${most} bytes, the limit of this page (max-bytes).`);
}

/** A name to show: one line, without control and direction characters. */
export function cleanName(name) {
  return String(name).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, " ").trim().slice(0, MAX_NAME);
}

/** The bytes of a stream; reading stops at the signal, and beyond `most` bytes. */
async function collected(stream, most, signal) {
  const reader = stream.getReader();
  const stop = () => reader.cancel().catch(() => {});
  signal.addEventListener("abort", stop);
  const chunks = [];
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (signal.aborted) throw failure("aborted", "Another trace was opened, or the trace was closed.");
      if (done) return new Blob(chunks);
      const chunk = typeof value === "string" ? new TextEncoder().encode(value) : value;
      if (!(chunk instanceof ArrayBuffer || ArrayBuffer.isView(chunk)))
        throw failure("source", "The stream holds something else than bytes or text.");
      size += chunk.byteLength;
      if (size > most) throw tooLarge(most);
      chunks.push(chunk);
    }
  } catch (error) {
    stop();
    throw error.code ? error : failure("fetch", `The stream ended early: ${error?.message ?? error}`);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

function copied(data) {
  const buffer = ArrayBuffer.isView(data) ? data.buffer : data;
  if (buffer.byteLength === 0) throw failure("source", "The buffer is empty, or was transferred elsewhere.");
  // Memory that is shared with another thread may change while it is read.
  const isShared = typeof SharedArrayBuffer === "function" && buffer instanceof SharedArrayBuffer;
  const bytes = ArrayBuffer.isView(data) ? new Uint8Array(buffer, data.byteOffset, data.byteLength) : new Uint8Array(buffer);
  return new Blob([isShared ? bytes.slice() : bytes]);
}

/**
 * What `Viewer.open` takes: `{ blob, name }` of an ArrayBuffer, typed array, Blob, File, ReadableStream or Response, of at most
 * `most` bytes.
 */
export async function sourceOf(data, { name, most = Infinity, signal }) {
  const isBuffer = /^\[object (Shared)?ArrayBuffer\]$/.test(Object.prototype.toString.call(data));
  let blob = data;
  let found = name;
  if (data instanceof Response) {
    if (!data.ok) throw failure("fetch", `${data.url || "The address"} cannot be read: the server answered ${data.status}.`);
    found ??= data.url.split(/[?#]/)[0].split("/").pop();
    blob = data.body ? await collected(data.body, most, signal) : await data.blob();
  } else if (data instanceof ReadableStream) {
    if (data.locked) throw failure("source", "The stream is already being read.");
    blob = await collected(data, most, signal);
  } else if (isBuffer || ArrayBuffer.isView(data)) {
    if (data.byteLength > most) throw tooLarge(most);
    blob = copied(data);
  } else if (!(data instanceof Blob)) {
    throw failure("source", "A trace is a URL, ArrayBuffer, typed array, Blob, File, ReadableStream or Response.");
  }
  if (blob.size > most) throw tooLarge(most);
  return { blob, name: cleanName(found || blob.name || "trace") || "trace" };
}
