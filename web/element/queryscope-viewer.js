// <queryscope-viewer>: shows traces of database engines in an element of any page. README.md lists what it offers.

/** The files of the viewer. Literal addresses, so that bundlers find them; the build puts the real names here. */
const FILES = {
  page: new URL("./queryscope-web.js", import.meta.url),
  pageModule: new URL("./queryscope-web_bg.wasm", import.meta.url),
  engine: new URL("./queryscope-engine.js", import.meta.url),
  engineModule: new URL("./queryscope-engine_bg.wasm", import.meta.url),
};

const TAG = "queryscope-viewer";
const VIEWS = ["overview", "gantt", "flame", "statements", "sources", "pivot", "parallel", "compare", "transactions", "tables"];
/** Distance from the screen, in CSS pixels, at which an element begins to load. */
const NEAR = 300;
const MAX_STATE = 65_536;

/** An error that a program can recognise by its code: see README.md. */
function failure(code, message, title = "") {
  return Object.assign(new Error(message), { name: "QueryscopeError", code, title });
}

const ABORTED = "The trace was closed, or the element was removed.";

/** Programs by the address of their files: all elements of a page share the page's program and the compiled engine. */
const programs = new Map();

function filesAt(base) {
  if (!base) return FILES;
  const folder = new URL(base, document.baseURI);
  if (!folder.pathname.endsWith("/")) folder.pathname += "/";
  const moved = (url) => new URL(url.pathname.split("/").pop(), folder);
  return Object.fromEntries(Object.entries(FILES).map(([name, url]) => [name, moved(url)]));
}

async function compiled(url) {
  const response = await fetch(url);
  if (!response.ok) throw failure("start", `${url} cannot be read: the server answered ${response.status}`);
  const isTyped = response.headers.get("content-type")?.split(";")[0].trim() === "application/wasm";
  return isTyped ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
}

function programAt(base) {
  const files = filesAt(base);
  const key = files.page.href;
  let program = programs.get(key);
  if (!program) {
    program = { mount: started(files), engine: { script: files.engine.href, module: files.engineModule.href } };
    programs.set(key, program);
    // A later element can retry.
    program.mount.catch(() => programs.delete(key));
  }
  return program;
}

async function started(files) {
  const page = await import(/* @vite-ignore */ /* webpackIgnore: true */ files.page.href);
  await page.default({ module_or_path: compiled(files.pageModule) });
  return page.mount_viewer;
}

let sheet;
/** Styles of the shadow root; constructed, so that a page's policy for styles need not allow any. */
function styles() {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(`
      :host { display: block; block-size: 480px; }
      :host([hidden]) { display: none; }
      .place, .poster { display: block; position: relative; box-sizing: border-box; inline-size: 100%; block-size: 100%; min-block-size: 320px; }
      .poster { overflow: hidden; }
      img { inline-size: 100%; block-size: 100%; object-fit: contain; object-position: top left; }
      [hidden] { display: none; }`);
  }
  return sheet;
}

/** Nanoseconds as a BigInt of 64 bits: from a BigInt, a decimal string, or a safe integer. */
function nanoseconds(value, name) {
  const isExact = typeof value === "bigint" || (typeof value === "string" && /^-?\d{1,19}$/.test(value)) || Number.isSafeInteger(value);
  const time = isExact ? BigInt(value) : undefined;
  if (time === undefined || BigInt.asIntN(64, time) !== time)
    throw new TypeError(`${name} must be whole nanoseconds: a BigInt, decimal text or safe integer`);
  return time;
}

/** The address of a source, unless it is the trace itself. */
const addressOf = (source) => (typeof source === "string" && source) || source instanceof URL ? new URL(source, document.baseURI).href : "";
/** A property with a fixed set of words, reflected by an attribute; an invalid word means the first of the set. */
const choice = (words) => (value) => (words.includes(value) ? value : words[0]);
const text = (value) => value ?? "";
/** Attributes, the names of their properties, and the conversion of an attribute's text. */
const ATTRIBUTES = [
  ["src", "src", text],
  ["format", "format", text],
  ["name", "name", text],
  ["view", "view", (value) => (VIEWS.includes(value) ? value : "")],
  ["state", "state", text],
  ["theme", "theme", choice(["auto", "light", "dark"])],
  ["controls", "controls", choice(["full", "minimal", "none"])],
  ["loading", "loading", choice(["lazy", "eager"])],
  ["poster", "poster", text],
  ["base-url", "baseUrl", text],
  ["max-bytes", "maxBytes", (value) => (/^\d+$/.test(value ?? "") && Number(value) > 0 ? Number(value) : Infinity)],
];

export class QueryscopeViewer extends HTMLElement {
  static observedAttributes = [...ATTRIBUTES.map(([attribute]) => attribute), "with-credentials"];

  #place = document.createElement("div");
  #poster = document.createElement("div");
  #picture = document.createElement("img");
  #observer;
  /** The mounted viewer, and the promise of it. */
  #viewer;
  #mounting;
  /** Aborts the requests and listeners of the current viewer. */
  #life = new AbortController();
  /** The latest call of open that is not settled. */
  #pending;
  #status = "idle";
  #info = null;
  #selection = null;
  #fragment = "";
  #data = null;
  /** Addresses of the traces that are open; undefined before the first. */
  #addresses;
  #loaded;
  /** Whether the page called open, so that `src` is not opened when the viewer starts. */
  #isGiven = false;

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open" });
    root.adoptedStyleSheets = [styles()];
    this.#place.className = "place";
    this.#place.part = "viewer";
    this.#place.hidden = true;
    this.#poster.className = "poster";
    this.#picture.alt = "";
    this.#picture.part = "poster";
    this.#picture.hidden = true;
    // Without a poster, the content of the element is shown until the trace is.
    this.#poster.append(this.#picture, document.createElement("slot"));
    root.append(this.#poster, this.#place);
    this.#expect();
  }

  connectedCallback() {
    // Properties that were set before the element was defined.
    for (const name of [...ATTRIBUTES.map(([, property]) => property), "data", "viewState", "withCredentials"]) {
      if (Object.prototype.hasOwnProperty.call(this, name)) {
        const value = this[name];
        delete this[name];
        this[name] = value;
      }
    }
    if (this.#mounting || this.#observer) return;
    if (this.loading === "eager") return void this.#start();
    this.#observer = new IntersectionObserver((entries) => entries.some((entry) => entry.isIntersecting) && this.#start(), {
      rootMargin: `${NEAR}px`,
    });
    this.#observer.observe(this);
  }

  disconnectedCallback() {
    // An element that is moved in the document within one task keeps its viewer.
    setTimeout(() => this.isConnected || this.#end());
  }

  attributeChangedCallback(name, before, value) {
    if (before === value) return;
    if (name === "poster") {
      this.#picture.hidden = !value;
      if (value) this.#picture.src = value;
      else this.#picture.removeAttribute("src");
    } else if (name === "loading" && value === "eager" && this.isConnected) this.#start();
    else if (!this.#mounting) return;
    else if (name === "src") this.#openSource();
    else if (name === "theme") this.#viewer?.setTheme(this.theme === "auto" ? "" : this.theme);
    else if (name === "controls") this.#viewer?.setControls(this.controls);
    else if (name === "state") this.#viewer?.setState(text(value));
    else if (name === "view" && this.view) this.#viewer?.setState(`${this.#fragment.replace(/(^|&)view=[^&]*/, "")}&view=${this.view}`);
  }

  /** The trace itself instead of `src`: ArrayBuffer, typed array, Blob, File, ReadableStream, Response or URL. */
  get data() {
    return this.#data;
  }

  set data(data) {
    this.#data = data ?? null;
    if (this.#mounting) this.#openSource();
  }

  get withCredentials() {
    return this.hasAttribute("with-credentials");
  }

  set withCredentials(value) {
    this.toggleAttribute("with-credentials", Boolean(value));
  }

  /** Promise of the information on the trace: of the open one, or of the next. */
  get loaded() {
    return this.#loaded.promise;
  }

  get status() {
    return this.#status;
  }

  get info() {
    return this.#info;
  }

  get selection() {
    return this.#selection;
  }

  /** The state of the views as an object of the names and values of a link. */
  get viewState() {
    // Without a prototype, `__proto__` is an ordinary name.
    const state = Object.create(null);
    for (const [name, value] of new URLSearchParams(this.#fragment))
      state[name] = name in state ? [state[name], value].flat() : value;
    return state;
  }

  set viewState(state) {
    this.#setState(state);
  }

  /** Opens a trace, or adds it to the open one (`append`). Resolves with information on it when it is shown. */
  open(source, options) {
    this.#isGiven = true;
    return this.#open(source, options);
  }

  async #open(source, { name, append = false, state } = {}, named = source) {
    const viewer = await this.#start();
    const open = this.#begin();
    try {
      const address = addressOf(named);
      this.#addresses = [...((append && this.#addresses) || []), address];
      const found = addressOf(source)
        ? { url: address, name: name || undefined }
        : await (await import("./trace-source.js")).sourceOf(source, { name, most: this.maxBytes, signal: open.stop.signal });
      if (open.stop.signal.aborted) return open.promise;
      viewer.open([found], !append);
      if (state !== undefined) this.#setState(state);
    } catch (error) {
      if (open === this.#pending) this.#report(error?.code ? error : failure("source", `It cannot be opened: ${error?.message ?? error}`));
    }
    return open.promise;
  }

  /** Closes the trace; the viewer stays. */
  close() {
    this.#settle(failure("aborted", ABORTED));
    this.#viewer?.close();
  }

  /** Moves the timeline to a range of nanoseconds since the beginning of the trace. */
  zoomTo({ start, end, unit = "ns" }) {
    if (unit !== "ns") throw new TypeError("the unit is ns");
    const [from, to] = [nanoseconds(start, "start"), nanoseconds(end, "end")];
    if (from >= to) throw new RangeError("start must be before end");
    this.#opened().zoomTo(from, to);
  }

  /** Selects `{ item, start, duration }` as in `selection`, or `{ query }`, a filter of the query list; null selects nothing. */
  select(target) {
    const viewer = this.#opened();
    if (target === null) return viewer.select("");
    if (typeof target?.query === "string") return viewer.selectQuery(target.query);
    if (!Number.isSafeInteger(target?.item)) throw new TypeError("select takes { item, start, duration }, { query } or null");
    return viewer.select([target.item, nanoseconds(target.start, "start"), nanoseconds(target.duration, "duration")].join());
  }

  /** Highlights a text in all views; an empty text removes the highlight. */
  search(text) {
    this.#opened().search(String(text));
  }

  /** A link to this view in the viewer at `base`. The link contains the addresses of traces that were opened by address. */
  permalink({ base } = {}) {
    const link = new URL(base ?? "./", base === undefined ? FILES.page : document.baseURI);
    const traces = (this.#addresses ?? [addressOf(this.#data ?? this.src)]).filter(Boolean).map((url) => `trace=${encodeURIComponent(url)}`);
    link.hash = [...traces, this.#fragment].filter(Boolean).join("&");
    return link.href;
  }

  /** A Blob with the import report (`report`, `report-json`), or the view (`svg`, `png`; `theme`: `light` or `dark`). */
  async exportAs(format, { theme = "" } = {}) {
    const made = await this.#opened().exportAs(String(format), theme);
    if (made instanceof Blob) return made;
    throw failure("source", made);
  }

  /** The view as `image/png` or `image/svg+xml`. */
  toBlob(type = "image/png", options) {
    return this.exportAs({ "image/png": "png", "image/svg+xml": "svg" }[type], options);
  }

  /** Ends the viewer and its engine. The element can be used again: `open` and `src` start another one. */
  dispose() {
    this.#end();
  }

  #opened() {
    if (!this.#viewer) throw failure("start", "The viewer has not started: wait for qs-ready.");
    return this.#viewer;
  }

  #setState(state) {
    const pairs = typeof state === "string" ? state.replace(/^#/, "") : Object.entries(state ?? {}).flatMap(([name, value]) => [value].flat().map((one) => [name, String(one)]));
    const fragment = typeof pairs === "string" ? pairs : new URLSearchParams(pairs).toString();
    if (fragment.length > MAX_STATE) throw new RangeError("the state is longer than 64 KiB");
    if (this.#viewer) this.#viewer.setState(fragment);
    else this.setAttribute("state", fragment);
  }

  /** Mounts the viewer; a second call waits for the first. */
  #start() {
    this.#observer?.disconnect();
    this.#observer = undefined;
    if (!this.#mounting) {
      const { signal } = this.#life;
      const mounting = this.#mount(signal);
      this.#mounting = mounting;
      mounting.catch((error) => {
        if (signal.aborted) return;
        this.#mounting = undefined;
        this.#report(error.code ? error : failure("start", String(error)));
      });
    }
    return this.#mounting;
  }

  async #mount(signal) {
    this.#status = "loading";
    const program = programAt(this.baseUrl);
    const mount = await program.mount.catch((error) => {
      throw error.code ? error : failure("start", `The viewer could not be started: ${error}`);
    });
    if (signal.aborted) throw failure("aborted", ABORTED);
    this.#place.hidden = false;
    // Hidden while the poster is shown, but with its final size.
    this.#place.style.cssText = "position: absolute; inset: 0; visibility: hidden; z-index: -1";
    const listener = (name, detail) => signal.aborted || this.#heard(name, detail);
    const most = this.maxBytes;
    const options = { engine: program.engine, state: this.#firstState(), controls: this.controls, listener };
    if (this.theme !== "auto") options.theme = this.theme;
    if (this.format) options.format = this.format;
    if (most !== Infinity) options.maxBytes = most;
    this.#viewer = mount(this.#place, options);
    const hasPoster = this.poster || this.childNodes.length;
    if (!hasPoster || !(this.#hasSource() || this.#isGiven)) this.#show();
    if (this.#hasSource() && !this.#isGiven) this.#openSource();
    return this.#viewer;
  }

  #firstState() {
    const state = this.#fragment || this.state.replace(/^#/, "");
    return this.view && !this.#fragment ? `${state}&view=${this.view}` : state;
  }

  #hasSource() {
    return this.#data !== null || this.src !== "";
  }

  async #openSource() {
    this.#isGiven = false;
    if (!this.#hasSource()) return this.#viewer && this.close();
    let source = this.#data ?? this.src;
    try {
      // The engine's own requests carry no cookies to other sites.
      if (this.#data === null && this.withCredentials)
        source = await fetch(source, { credentials: "include" }).catch((error) => {
          this.#report(failure("fetch", `${source} cannot be fetched: ${error.message}`));
          throw error;
        });
      await this.#open(source, { name: this.name }, this.#data ?? this.src);
    } catch {
      // Reported by an event, and by the promise `loaded`.
    }
  }

  #expect() {
    this.#loaded = deferred();
  }

  /** Begins to open a trace; aborts the opening of a previous trace. */
  #begin() {
    this.#settle(failure("aborted", "Another trace was opened."));
    if (this.#status === "ready" || this.#status === "error") this.#expect();
    this.#status = "loading";
    this.#pending = Object.assign(deferred(), { stop: new AbortController() });
    return this.#pending;
  }

  /** Ends the call of open that is not settled, with an error. */
  #settle(error) {
    this.#pending?.reject(error);
    this.#pending?.stop.abort();
    this.#pending = undefined;
  }

  #report(error) {
    this.#status = "error";
    this.#loaded.reject(error);
    this.#settle(error);
    this.#show();
    this.#emit("error", { code: error.code, title: error.title, message: error.message });
  }

  /** Shows the viewer instead of the poster, once it is painted. */
  #show() {
    const viewer = this.#viewer;
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        if (!viewer || viewer !== this.#viewer) return;
        this.#place.style.cssText = "";
        this.#poster.hidden = true;
      }),
    );
  }

  #heard(name, detail) {
    if (name === "ready") this.#emit("ready");
    else if (name === "progress") this.#emit("progress", detail);
    else if (name === "opening") this.#status = "loading";
    else if (name === "warning") this.#emit("warning", { code: detail.code, title: detail.title, message: detail.text });
    else if (name === "error") this.#report(failure(detail.code, detail.text, detail.title));
    else if (name === "closed") {
      this.#info = this.#selection = null;
      this.#fragment = "";
      this.#status = "idle";
      this.#expect();
    } else if (name === "loaded") {
      this.#info = Object.freeze({ ...detail, end: BigInt(detail.end) });
      this.#status = "ready";
      this.#loaded.resolve(this.#info);
      this.#pending?.resolve(this.#info);
      this.#pending = undefined;
      this.#show();
      this.#emit("load", { info: this.#info });
    } else if (name === "view") {
      // Without the address of the trace, which the element stores.
      this.#fragment = detail.state.replace(/(^|&)trace=[^&]*/g, "").replace(/^&/, "");
      this.#emit("viewchange", { state: this.#fragment });
    } else if (name === "selection") {
      this.#selection = detail && Object.freeze({ ...detail, start: BigInt(detail.start), duration: BigInt(detail.duration) });
      this.#emit("select", { selection: this.#selection });
    }
  }

  #emit(name, detail = {}) {
    this.dispatchEvent(new CustomEvent(`qs-${name}`, { detail, bubbles: true, composed: true }));
  }

  #end() {
    this.#observer?.disconnect();
    this.#observer = undefined;
    this.#life.abort();
    this.#life = new AbortController();
    this.#settle(failure("aborted", ABORTED));
    this.#viewer?.destroy();
    this.#viewer?.free?.();
    this.#viewer = this.#mounting = undefined;
    this.#info = this.#selection = null;
    if (this.#status !== "idle") this.#expect();
    this.#status = "idle";
    this.#isGiven = false;
    // A shadow root cannot be removed: the next viewer gets another element.
    const place = this.#place.cloneNode(false);
    place.hidden = true;
    this.#place.replaceWith(place);
    this.#place = place;
    this.#poster.hidden = false;
  }
}

function deferred() {
  const parts = {};
  parts.promise = new Promise((resolve, reject) => Object.assign(parts, { resolve, reject }));
  // An unhandled rejection must not be reported as an error of the page.
  parts.promise.catch(() => {});
  return parts;
}

for (const [attribute, property, parse] of ATTRIBUTES) {
  Object.defineProperty(QueryscopeViewer.prototype, property, {
    get() {
      return parse(this.getAttribute(attribute));
    },
    set(value) {
      if (value === null || value === undefined || value === Infinity) this.removeAttribute(attribute);
      else this.setAttribute(attribute, String(value));
    },
    enumerable: true,
    configurable: true,
  });
}

// A second copy of this script keeps the element that the first copy defined.
if (!customElements.get(TAG)) customElements.define(TAG, QueryscopeViewer);
