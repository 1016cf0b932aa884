// A page that holds viewers: what the tests of embedding ask of it.

import { colours, pixels } from "./canvas.js";
import { blobs, errors, workers } from "./counters.js";

const site = new DOMParser().parseFromString(await (await fetch("/")).text(), "text/html");
const files = site.querySelector("script[data-glue]").dataset;
const address = (name) => new URL(name, new URL("/", location.href)).href;
const { default: init, mount_viewer } = await import(address(files.glue));
const wasm = await init({ module_or_path: address(files.wasm) });

const viewers = new Map();
const shadow = (id) => document.getElementById(id).shadowRoot;
const find = (id, css) => shadow(id)?.querySelector(css);

window.page = {
  errors,
  workers: () => workers.size,
  blobs: () => blobs.size,
  memory: () => wasm.memory.buffer.byteLength,
  /** Mounts a viewer in the element of an id. */
  mount(id, options = {}) {
    viewers.set(id, mount_viewer(document.getElementById(id), { engine: address(files.engine), ...options }));
  },
  destroy(id) {
    viewers.get(id).destroy();
    viewers.delete(id);
  },
  find,
  all: (id, css) => [...shadow(id).querySelectorAll(css)],
  data: (id) => find(id, "#app")?.dataset ?? {},
  text: (id, css) => find(id, css)?.innerText ?? "",
  /** Whether a trace is open, and drawn: several colours in its picture. */
  drawn(id) {
    const canvas = find(id, "#gantt, #flame");
    return this.data(id).phase === "ready" && canvas?.width > 0 && colours(canvas) > 3;
  },
  picture(id) {
    const canvas = find(id, "#gantt, #flame");
    return pixels(canvas).reduce((hash, pixel) => (Math.imul(hash, 31) + pixel) | 0, 0);
  },
  /** Where everything in a viewer is, and how it looks. */
  look(id) {
    const { x, y } = find(id, ".queryscope").getBoundingClientRect();
    const style = ["display", "color", "backgroundColor", "font", "letterSpacing", "textTransform", "textAlign", "direction",
      "whiteSpace", "visibility", "cursor"];
    return this.all(id, ".queryscope, .queryscope *").map((element) => {
      const box = element.getBoundingClientRect();
      const computed = getComputedStyle(element);
      // What is not shown is nowhere.
      const shown = element.checkVisibility() ? [box.x - x, box.y - y, box.width, box.height] : [];
      const place = shown.map((n) => Math.round(n * 4) / 4);
      return [element.tagName, element.id, String(element.className.baseVal ?? element.className), ...place,
        ...style.map((name) => computed[name])].join(" | ");
    });
  },
  /** What of a viewer is shown outside its element. */
  outside(id) {
    const room = document.getElementById(id).getBoundingClientRect();
    return this.all(id, ".queryscope, #app > *, .stage > *, .views > *, .toasts > *, .timeline-picture, .topbar > *, .tabs > *").filter((element) => {
      const box = element.getBoundingClientRect();
      const shown = element.checkVisibility() && box.width > 0 && box.height > 0 && !element.matches(".visually-hidden, [popover]");
      return shown && (box.left < room.left - 1 || box.right > room.right + 1 || box.top < room.top - 1 || box.bottom > room.bottom + 1);
    }).map((element) => `${element.tagName} ${element.id} ${element.className}`);
  },
  /** How the page's own elements look. */
  own: () => ["heading", "field", "button"].map((id) => {
    const element = document.getElementById(id);
    const { font, color, margin, padding, display, letterSpacing, backgroundColor } = getComputedStyle(element);
    return [id, font, color, margin, padding, display, letterSpacing, backgroundColor].join(" | ");
  }),
  /** Two frames, and what follows from them. */
  settle: () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 60)))),
};
