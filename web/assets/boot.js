// Starts the page: reads the host's settings, narrows what the page may talk to, then runs the program and gives it the
// document.

/** Time in milliseconds after the start at which the site is stored for use without a network. */
const SETTLED = 4000;

const files = document.querySelector("script[data-glue]").dataset;
const address = (name) => new URL(name, document.baseURI).href;

/** The settings of whoever hosts this site, from `config.json`; without the file, there are none. */
async function readConfig() {
  try {
    const answer = await fetch(address("config.json"), { cache: "no-cache" });
    const config = answer.ok ? await answer.json() : {};
    if (Object(config) === config) return config;
    throw new Error("it is not an object");
  } catch (error) {
    console.error("config.json of this site is ignored:", error);
    return {};
  }
}

/** The addresses of traces and data sets that the user gave: `?trace=URL` or `#trace=URL`, as often as there are traces; `dataset` likewise. */
function givenTraces() {
  const parts = [location.search.slice(1), location.hash.slice(1)];
  return parts.flatMap((part) => ["trace", "dataset"].flatMap((name) => new URLSearchParams(part).getAll(name)));
}

/** The origins that the page has to reach: its own, those of the given traces, and those that the host lists. */
function reachable({ trustedOrigins = [], open = [], traces = [] }) {
  const origins = new Set(["'self'"]);
  for (const given of [givenTraces(), trustedOrigins, open, traces.map?.((trace) => trace?.url)].flat()) {
    try {
      const url = new URL(given, document.baseURI);
      if (url.protocol === "https:" || url.protocol === "http:") origins.add(url.origin);
    } catch {
      // Not an address: the page says so when it tries to open it.
    }
  }
  return origins;
}

/**
 * A second policy can only take away: from here on nothing but this origin and the given ones can be reached. It repeats
 * the first one, with other connections: hints to fetch something ahead are allowed by any directive of a policy, and by
 * a policy without `default-src`.
 */
function narrowConnections(origins) {
  const policy = document.createElement("meta");
  policy.httpEquiv = "Content-Security-Policy";
  const first = document.querySelector('meta[http-equiv="Content-Security-Policy"]').content;
  policy.content = first.replace(/connect-src [^;]*/, `connect-src ${[...origins].join(" ")}`);
  document.head.append(policy);
  // A policy never widens: a link to yet another origin, opened in this page, needs a new page.
  addEventListener("hashchange", () => {
    if ([...reachable({})].some((origin) => origin !== location.origin && !origins.has(origin))) location.reload();
  });
}

function explain(error) {
  console.error(error);
  const place = document.getElementById("boot");
  place.textContent =
    "queryscope could not start. It needs a browser with WebAssembly (SIMD) and module workers: Chrome 91, Firefox 114, " +
    `Safari 16.4 or newer. If your browser is recent enough, reload the page. The browser reports: ${error}`;
  place.hidden = false;
}

/** Stores the site for the next visits. A page in a frame, or of a user who saves data, stores nothing. */
function workOffline() {
  if (!isSecureContext || self !== top || navigator.connection?.saveData) return;
  const register = () => navigator.serviceWorker?.register(address("sw.js")).catch((error) => console.info(`Not available without a network: ${error}`));
  setTimeout(register, SETTLED);
}

/** The traces that the browser keeps; the script is fetched with the first use. */
const kept = async (name, ...values) => (await import(address(files.recents)))[name](...values);
const recents = Object.fromEntries(["list", "keep", "take", "remove"].map((name) => [name, (...values) => kept(name, ...values)]));

/** What a page around this one, or the one that opened it, may ask: only then it is fetched. */
const frame = window.parent !== window || window.opener ? import(address("element/frame.js")).catch(console.error) : undefined;

try {
  const [config, { default: init, mount_site, formats, version }] = await Promise.all([readConfig(), import(address(files.glue))]);
  narrowConnections(reachable(config));
  await init({ module_or_path: address(files.wasm) });
  const viewer = mount_site(document.body, {
    ...config,
    engine: address(files.engine),
    // Empty where the site was built without SQL.
    sql: files.sql && address(files.sql),
    sample: address("sample/"),
    template: address("queryscope-single.html"),
    recents,
    listener: frame && ((...event) => frame.then((protocol) => protocol?.hear(...event))),
  });
  // Files that the user opened with the installed page.
  self.launchQueue?.setConsumer(async ({ files }) => {
    const opened = await Promise.all(files.map((handle) => handle.getFile()));
    if (opened.length > 0) viewer.open(opened, true);
  });
  workOffline();
  const { trustedOrigins } = config;
  (await frame)?.connect(viewer, { version: version(), formats: formats().split(" "), trustedOrigins });
} catch (error) {
  explain(error);
}
