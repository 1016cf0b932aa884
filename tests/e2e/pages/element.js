// A page with <queryscope-viewer> elements: what the tests of the element ask of it. `?from=ORIGIN` takes the script from there.

import { colours, pixels } from "./canvas.js";
import { blobs, errors, workers } from "./counters.js";

const from = new URLSearchParams(location.search).get("from") ?? location.origin;
const script = `${from}/element/queryscope-viewer.js`;
const elements = new Map();
const heard = [];
const NAMES = ["ready", "progress", "load", "warning", "error", "viewchange", "select"];

const inner = (id) => elements.get(id)?.shadowRoot.querySelector(".place").shadowRoot;
const find = (id, css) => inner(id)?.querySelector(css);

window.page = {
  errors,
  heard,
  script,
  workers: () => workers.size,
  blobs: () => blobs.size,
  element: (id) => elements.get(id),
  find,
  /** Adds an element with these attributes to the page, without waiting for the script. */
  add(id, attributes = {}, place = "place", content = "") {
    const element = document.createElement("queryscope-viewer");
    element.id = id;
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(content);
    for (const name of NAMES) element.addEventListener(`qs-${name}`, ({ detail }) => heard.push([id, name, detail]));
    elements.set(id, element);
    document.getElementById(place).append(element);
  },
  remove(id) {
    elements.get(id).remove();
  },
  count: (id, name) => heard.filter(([of, event]) => of === id && event === name).length,
  last: (id, name) => heard.findLast(([of, event]) => of === id && event === name)?.[2],
  data: (id) => find(id, "#app")?.dataset ?? {},
  text: (id, css) => find(id, css)?.innerText ?? "",
  drawn(id) {
    const canvas = find(id, "#gantt, #flame");
    return this.data(id).phase === "ready" && canvas?.width > 0 && canvas.checkVisibility() && colours(canvas) > 3;
  },
  picture: (id) => pixels(find(id, "#gantt, #flame")).reduce((hash, pixel) => (Math.imul(hash, 31) + pixel) | 0, 0),
  /** How everything in a viewer looks, apart from its size. */
  look: (id) =>
    [...inner(id).querySelectorAll(".queryscope, .queryscope *")].map((element) => {
      const style = getComputedStyle(element);
      const names = ["display", "color", "backgroundColor", "fontFamily", "fontSize", "textTransform", "visibility", "direction"];
      return [element.tagName, String(element.className.baseVal ?? element.className), ...names.map((name) => style[name])].join(" | ");
    }),
  fetched: (end) => performance.getEntriesByType("resource").filter((entry) => entry.name.endsWith(end)).length,
  /** Bytes of memory of the page's program, which all elements share. */
  async memory() {
    const { name } = performance.getEntriesByType("resource").find((entry) => /queryscope-web[^/]*\.js$/.test(entry.name));
    return (await (await import(name)).default()).memory.buffer.byteLength;
  },
  settle: () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 60)))),
  /** The code of the error of a promise or a call. */
  async refused(call) {
    try {
      await call();
      return "";
    } catch (error) {
      return error.code || error.name;
    }
  },
};
await import(script);
window.page.isDefined = true;
