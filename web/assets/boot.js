// Starts the page: narrows what it may talk to, then runs the program and gives it the document.

/** The addresses of traces that the user gave: `?trace=URL` or `#trace=URL`, as often as there are traces. */
function givenTraces() {
  const parts = [location.search.slice(1), location.hash.slice(1)];
  return parts.flatMap((part) => new URLSearchParams(part).getAll("trace"));
}

/**
 * A second policy can only take away: from here on nothing but this origin and the given ones can be reached. It repeats
 * the first one, with other connections: hints to fetch something ahead are allowed by any directive of a policy, and by
 * a policy without `default-src`.
 */
function narrowConnections() {
  const origins = new Set(["'self'"]);
  for (const trace of givenTraces()) {
    try {
      const url = new URL(trace, document.baseURI);
      if (url.protocol === "https:" || url.protocol === "http:") origins.add(url.origin);
    } catch {
      // Not an address: the page says so when it tries to open it.
    }
  }
  const policy = document.createElement("meta");
  policy.httpEquiv = "Content-Security-Policy";
  const first = document.querySelector('meta[http-equiv="Content-Security-Policy"]').content;
  policy.content = first.replace(/connect-src [^;]*/, `connect-src ${[...origins].join(" ")}`);
  document.head.append(policy);
}

function explain(error) {
  console.error(error);
  const place = document.getElementById("boot");
  place.textContent =
    "queryscope could not start. It needs a browser with WebAssembly (SIMD) and module workers: Chrome 91, Firefox 114, " +
    `Safari 16.4 or newer. If your browser is recent enough, reload the page. The browser reports: ${error}`;
  place.hidden = false;
}

const files = document.querySelector("script[data-glue]").dataset;
const address = (name) => new URL(name, document.baseURI).href;
narrowConnections();
/** What a page around this one, or the one that opened it, may ask: only then it is fetched. */
const frame = window.parent !== window || window.opener ? import(address("element/frame.js")).catch(console.error) : undefined;
try {
  const { default: init, mount_site, formats, version } = await import(address(files.glue));
  await init({ module_or_path: address(files.wasm) });
  const listener = frame && ((...event) => frame.then((protocol) => protocol?.hear(...event)));
  const viewer = mount_site(document.body, { engine: address(files.engine), sample: address("sample/"), listener });
  (await frame)?.connect(viewer, { version: version(), formats: formats().split(" ") });
} catch (error) {
  explain(error);
}
