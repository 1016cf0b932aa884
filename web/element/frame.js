// The protocol between this page in a frame, or in a window that another page opened, and that page: version 1. It is
// described in docs/embedding.md. Only messages of the parent and the opener are accepted; a trace from an unknown
// origin is opened only if the user agrees; data of a trace go only to the origin that gave it.

import { cleanName, sourceOf } from "./trace-source.js";

const PROTOCOL = 1;
/** Messages that one origin may send at once, and per second. */
const BURST = 40;
const RATE = 20;
/** Files that a page can request of a trace that it opened. */
const FORMATS = ["report", "report-json", "svg", "png"];
const MAX_ID = 100;
const MAX_STATE = 65_536;
const MAX_TEXT = 10_000;
const MAX_BYTES = 2 ** 32;
/** Number of times that an origin may be declined before the user is not asked about it any more. */
const MAX_DECLINED = 3;
/** Time in milliseconds for which the buttons of the question are inactive, so that a click meant for other content has no effect. */
const GUARD = 500;
const STORED = "queryscope-origins";
const WORDS = {
  title: (origin) => `Open a trace from ${origin}?`,
  nobody: "a page without an address",
  text: (name) =>
    `The page asks to show “${name}” here. It is read in your browser and sent nowhere else. The page can then control this view, and sees what you select in this trace.`,
  no: "Do not open",
  yes: "Open trace",
  always: "Always open from this site",
};

let viewer;
let options = {};
/** Windows whose messages are accepted: the parent and the opener. */
const partners = [window.parent !== window && window.parent, window.opener].filter(Boolean);
/** Origins that the user allowed while this page is open. */
const allowed = new Set();
/** Requester of the trace that is being opened: `{ reply, origin, source, id, isOwner, stop }`. */
let pending;
/** Calls of the viewer's `open`, in order; the viewer reports one event `opening` for each call. */
const calls = [];
/** Page that sent the open trace: `{ reply, origin, isOwner }`; undefined if the user or the address opened the trace. */
let owner;
let isAsking = false;
/** Number of times that the user declined each origin while this page is open. */
const declined = new Map();
const budgets = new Map();
const hearsay = [];

/** An error that is sent as a reply with its code and sentence. */
function refusal(code, message) {
  return Object.assign(new Error(message), { code });
}

const own = (object, name) => (Object.prototype.hasOwnProperty.call(object, name) ? object[name] : undefined);

/** Starts to listen, and notifies the other page that this page is ready. */
export function connect(mounted, settings = {}) {
  viewer = mounted;
  options = settings;
  addEventListener("message", receive);
  hearsay.splice(0).forEach(([name, detail]) => heard(name, detail));
  // The message contains public data only.
  for (const partner of partners) partner.postMessage({ queryscope: PROTOCOL, type: "ready", ...about() }, "*");
}

/** Handles the events of the viewer. */
export function hear(name, detail) {
  if (viewer) heard(name, detail);
  else hearsay.push([name, detail]);
}

function about() {
  return { version: options.version ?? "", formats: options.formats ?? [], limits: { bytes: MAX_BYTES, state: MAX_STATE, rate: RATE } };
}

function receive(event) {
  const { source, origin, data } = event;
  if (!partners.includes(source) || Object(data) !== data || own(data, "queryscope") !== PROTOCOL) return;
  const id = own(data, "id");
  const type = own(data, "type");
  // The window may have navigated to another page: the reply goes only to the origin of the request.
  const reply = (message, transfer = []) => {
    try {
      source.postMessage({ queryscope: PROTOCOL, ...message }, { targetOrigin: origin === "null" ? "*" : origin, transfer });
    } catch (error) {
      console.warn("A message to the other page was not sent:", error);
    }
  };
  const refuse = (error) => reply({ type: "error", id: isId(id) ? id : null, code: error.code ?? "failed", message: error.message });
  // Replies of this protocol that are sent back are not requests.
  if (["ready", "progress", "loaded", "error", "result", "viewchange", "closed", "warning"].includes(type)) return;
  const spent = spend(origin);
  if (spent) return void (spent === "refuse" && refuse(refusal("rate", `More than ${RATE} messages per second: the messages of this second are ignored.`)));
  try {
    if (!isId(id)) throw refusal("bad-message", "The field id must be a number or a text of at most 100 characters.");
    if (Object.keys(data).some((name) => ["__proto__", "constructor", "prototype"].includes(name)))
      throw refusal("bad-message", "The message has a field with the name of a prototype.");
    const command = COMMANDS[typeof type === "string" && Object.keys(COMMANDS).includes(type) ? type : "unknown"];
    Promise.resolve(command({ data, id, origin, source, reply })).catch(refuse);
  } catch (error) {
    refuse(error);
  }
}

function isId(id) {
  return Number.isSafeInteger(id) || (typeof id === "string" && id.length <= MAX_ID);
}

/** Counts a message of an origin. Returns undefined below the limit, `refuse` for the first message above it, `ignore` for others. */
function spend(origin) {
  const now = performance.now();
  const budget = budgets.get(origin) ?? { left: BURST, at: now, refused: -Infinity };
  budgets.set(origin, budget);
  budget.left = Math.min(BURST, budget.left + ((now - budget.at) / 1000) * RATE);
  budget.at = now;
  if (budget.left >= 1) return void (budget.left -= 1);
  if (now - budget.refused < 1000) return "ignore";
  budget.refused = now;
  return "refuse";
}

/** Whether traces of an origin are opened without a question. */
function isTrusted(origin) {
  if (origin === "null") return false;
  return origin === location.origin || allowed.has(origin) || [options.trustedOrigins].flat().includes(origin) || stored().includes(origin);
}

function stored() {
  try {
    const origins = JSON.parse(localStorage.getItem(STORED) ?? "[]");
    // Inside a frame, stored permissions could have been set by another site, so they count only if the user sees this
    // address.
    return window.top === window && Array.isArray(origins) ? origins : [];
  } catch {
    return [];
  }
}

function store(origin) {
  try {
    localStorage.setItem(STORED, JSON.stringify([...new Set([...stored(), origin])]));
  } catch {
    // Without storage, the permission is valid as long as this page is open.
  }
}

/** Checks that the requesting page has opened the trace or is trusted. */
function controls(origin) {
  if (!isTrusted(origin) && owner?.origin !== origin) throw refusal("not-allowed", "This origin has opened no trace here.");
}

/** Checks that the requesting page has sent the trace itself. */
function ownsData(origin, source) {
  if (!owner?.isOwner || owner.origin !== origin || owner.source !== source)
    throw refusal("not-allowed", "Data of a trace are given only to the origin that gave the trace.");
}

function textOf(data, name, most) {
  const value = own(data, name);
  if (typeof value !== "string" || value.length > most) throw refusal("bad-message", `The field ${name} must be a text of at most ${most} characters.`);
  return value;
}

function timeOf(data, name) {
  const value = own(data, name);
  const time = typeof value === "string" && /^-?\d{1,19}$/.test(value) ? BigInt(value) : undefined;
  if (time === undefined || BigInt.asIntN(64, time) !== time) throw refusal("bad-message", `The field ${name} must be nanoseconds as a decimal text.`);
  return time;
}

/** State of the views without the address of the trace and the appearance of the frame, as `setState` takes it. */
function stateOnly(fragment) {
  return fragment.replace(/(^|&)(trace|embed|controls)=[^&]*/g, "").replace(/^&/, "");
}

const COMMANDS = {
  unknown: () => {
    throw refusal("unknown-type", `Types are ${Object.keys(COMMANDS).filter((type) => type !== "unknown").join(", ")}.`);
  },
  hello: ({ id, reply }) => reply({ type: "ready", id, ...about() }),
  open,
  setState({ data, id, origin, reply }) {
    controls(origin);
    const state = textOf(data, "state", MAX_STATE).replace(/^#/, "");
    // Another page must not cause this page to request an address.
    if (new URLSearchParams(state).has("trace")) throw refusal("bad-message", "A state names no trace: use open.");
    viewer.setState(state);
    reply({ type: "result", id });
  },
  getState({ id, origin, source, reply }) {
    ownsData(origin, source);
    reply({ type: "result", id, state: stateOnly(viewer.state()) });
  },
  zoom({ data, id, origin, reply }) {
    controls(origin);
    const [start, end] = [timeOf(data, "start"), timeOf(data, "end")];
    if (start >= end) throw refusal("bad-message", "start must be before end.");
    viewer.zoomTo(start, end);
    reply({ type: "result", id });
  },
  async select({ data, id, origin, source, reply }) {
    controls(origin);
    const target = own(data, "target");
    const isObject = Object(target) === target;
    let found;
    if (target === null) found = await viewer.select("");
    else if (isObject && own(target, "query") !== undefined) found = await viewer.selectQuery(textOf(target, "query", MAX_TEXT));
    else if (isObject && Number.isSafeInteger(own(target, "item")))
      found = await viewer.select([target.item, timeOf(target, "start"), timeOf(target, "duration")].join());
    else throw refusal("bad-message", "The field target must be { item, start, duration }, { query } or null.");
    // Only the page that sent the trace learns whether the trace contains the target.
    const isOwner = owner?.isOwner && owner.origin === origin && owner.source === source;
    reply({ type: "result", id, ...(isOwner && { found }) });
  },
  search({ data, id, origin, reply }) {
    controls(origin);
    viewer.search(textOf(data, "text", MAX_TEXT));
    reply({ type: "result", id });
  },
  async export({ data, id, origin, source, reply }) {
    ownsData(origin, source);
    const format = own(data, "format");
    if (!FORMATS.includes(format)) throw refusal("bad-message", `The field format must be one of ${FORMATS.join(", ")}.`);
    const theme = own(data, "theme") === undefined ? "" : textOf(data, "theme", MAX_ID);
    const blob = await viewer.exportAs(format, theme);
    // Meanwhile, another trace may have been opened.
    ownsData(origin, source);
    if (!(blob instanceof Blob)) throw refusal("source", blob);
    reply({ type: "result", id, format, blob });
  },
  close({ id, origin, reply }) {
    controls(origin);
    viewer.close();
    reply({ type: "result", id });
  },
};

async function open({ data, id, origin, source, reply }) {
  const given = own(data, "source");
  const append = own(data, "append") === true;
  const state = own(data, "state") === undefined ? undefined : textOf(data, "state", MAX_STATE).replace(/^#/, "");
  if (state !== undefined && new URLSearchParams(state).has("trace")) throw refusal("bad-message", "A state names no trace: use source.");
  const named = own(data, "name") === undefined ? undefined : cleanName(textOf(data, "name", MAX_TEXT));
  const url = Object(given) === given && own(given, "url") !== undefined ? addressOf(textOf(given, "url", MAX_TEXT)) : undefined;
  if (!isTrusted(origin)) {
    if (isAsking) throw refusal("busy", "The user is being asked about another trace.");
    if (declined.get(origin) >= MAX_DECLINED) throw refusal("not-allowed", `The user declined ${MAX_DECLINED} traces of this origin and is not asked again.`);
    const shown = named || (url ? url.pathname.split("/").pop() : "") || "a trace";
    if (!(await isAgreed(origin, cleanName(shown)))) throw refusal("not-allowed", "The user did not open the trace.");
  }
  pending?.replaced();
  const stop = new AbortController();
  // A page that names an address may lack permission to read it; pages without an origin cannot be distinguished.
  const isOwner = origin !== "null" && (!url || url.origin === origin) && (!append || (owner?.isOwner === true && owner.origin === origin));
  const asked = { id, origin, source, reply, isOwner, isHeard: false, stop };
  asked.replaced = () => {
    stop.abort();
    reply({ type: "error", id, code: "aborted", message: "Another trace was opened, or the trace was closed." });
  };
  pending = asked;
  try {
    const found = url ? { url: url.href, name: named } : await sourceOf(given, { name: named, most: MAX_BYTES, signal: stop.signal });
    if (pending !== asked) return;
    // Until the viewer reports `opening` for this call, its events belong to an earlier trace.
    calls.push(asked);
    viewer.open([found], !append);
    if (state !== undefined) viewer.setState(state);
  } catch (error) {
    // The viewer does not report an event for a call that it rejects at once.
    if (calls.at(-1) === asked) calls.pop();
    if (pending === asked) pending = undefined;
    if (!stop.signal.aborted) throw error;
  }
}

/** An address that this page can request; the Content-Security-Policy of the page allows few. */
function addressOf(text) {
  let url;
  try {
    url = new URL(text);
  } catch {
    throw refusal("source", "The url must be absolute.");
  }
  if (!["http:", "https:"].includes(url.protocol)) throw refusal("source", "The url must begin with https: or http:.");
  if (url.username || url.password) throw refusal("source", "The url must hold no user name and no password.");
  const policies = [...document.querySelectorAll('meta[http-equiv="Content-Security-Policy"]')];
  const origins = policies.at(-1)?.content.match(/connect-src ([^;]*)/)?.[1].split(" ") ?? [];
  if (url.origin !== location.origin && !origins.includes(url.origin))
    throw refusal("source", `This page may not request ${url.origin}: send the bytes, or name the address in that of this page (#trace=…).`);
  return url;
}

function heard(name, detail) {
  const asked = pending?.isHeard ? pending : undefined;
  const tell = (type, fields) => owner?.isOwner && owner.reply({ type, ...fields });
  if (name === "opening") {
    const opened = detail.byUser ? undefined : calls.shift();
    owner = opened;
    if (opened) opened.isHeard = true;
    else {
      // The user's own, or the page's.
      pending?.replaced();
      pending = undefined;
    }
  } else if (name === "progress") asked?.reply({ type: "progress", id: asked.id, loaded: detail.loaded, total: detail.total });
  else if (name === "loaded") {
    asked?.reply({ type: "loaded", id: asked.id, ...(asked.isOwner && { info: detail }) });
    if (asked) pending = undefined;
  } else if (name === "error") {
    // A message may contain text of a file.
    const message = asked?.isOwner ? `${detail.title}. ${detail.text}` : "The trace could not be opened.";
    asked?.reply({ type: "error", id: asked.id, code: detail.code, message });
    if (asked) pending = undefined;
  } else if (name === "warning") tell("warning", { code: detail.code, message: `${detail.title}. ${detail.text}` });
  else if (name === "view") tell("viewchange", { state: stateOnly(detail.state) });
  else if (name === "selection") tell("select", { selection: detail });
  else if (name === "closed") {
    pending?.isHeard && pending.replaced();
    if (pending?.isHeard) pending = undefined;
    tell("closed", {});
    owner = undefined;
  }
}

/** Asks the user; Esc, the first button and no action mean no. */
function isAgreed(origin, name) {
  isAsking = true;
  const shown = origin === "null" ? WORDS.nobody : origin;
  const element = (tag, fields, ...children) => {
    const made = Object.assign(document.createElement(tag), fields);
    made.append(...children);
    return made;
  };
  const button = (value, label, look) => element("button", { type: "button", value, className: `btn ${look}`, textContent: label });
  const buttons = [button("no", WORDS.no, "primary"), button("yes", WORDS.yes, "")];
  // A page could cover the frame with content that makes the user click.
  if (window.top === window && origin !== "null") buttons.push(button("always", WORDS.always, ""));
  const dialog = element(
    "dialog",
    { id: "frame-question" },
    element("header", {}, element("h2", { id: "frame-question-title", textContent: WORDS.title(shown) })),
    element("div", { className: "body" }, element("p", { textContent: WORDS.text(name) })),
    element("footer", {}, ...buttons),
  );
  dialog.setAttribute("aria-labelledby", "frame-question-title");
  dialog.style.width = "min(560px, calc(100vw - 24px))";
  (document.querySelector(".queryscope") ?? document.body).append(dialog);
  const before = document.activeElement;
  const shownAt = performance.now();
  return new Promise((answer) => {
    const end = (value) => {
      isAsking = false;
      dialog.remove();
      before?.focus?.();
      if (value === "no") declined.set(origin, (declined.get(origin) ?? 0) + 1);
      else allowed.add(origin);
      if (value === "always") store(origin);
      // A permission for a page without an origin is valid once.
      if (origin === "null") allowed.delete(origin);
      answer(value !== "no");
    };
    dialog.addEventListener("cancel", (event) => {
      event.preventDefault();
      end("no");
    });
    dialog.addEventListener("click", (event) => {
      const value = event.target.closest("button")?.value;
      if (value && (value === "no" || performance.now() - shownAt > GUARD)) end(value);
    });
    // Keys that are pressed in the question must not reach the views.
    dialog.addEventListener("keydown", (event) => event.stopPropagation());
    dialog.showModal();
    buttons[0].focus();
  });
}
