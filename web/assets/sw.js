// Lets the site start without a network. It answers requests for the site's own files alone; every other request goes its
// usual way. It never sends a request of its own: it fetches what is in FILES, and what the page asks for, from this origin.

// The build fills in all of it: the version is a hash of all files.
const VERSION = "";
const FILES = [];
// Large files that are kept when they were used once.
const LATER = [];

const PREFIX = "queryscope-";
const CACHE = PREFIX + VERSION;
/** Files whose latest content matters if there is a network. */
const FRESH = new Set(["", "index.html", "config.json"]);
/** The host may leave this file out. */
const OPTIONAL = "config.json";
/** Time in milliseconds after which a slow network is no longer waited for. */
const PATIENCE = 3000;

const scope = self.registration.scope;
const own = new Set([...FILES, ...LATER]);
const later = new Set(LATER);

/** Path of a URL relative to the site's folder; undefined for what is not in it. */
function pathOf(address) {
  const url = address.split(/[?#]/)[0];
  return url.startsWith(scope) ? url.slice(scope.length) : undefined;
}

self.addEventListener("install", (event) => {
  event.waitUntil(install());
});

async function install() {
  const cache = await caches.open(CACHE);
  // Names contain a hash of the content, so the browser's own cache cannot hold another build of them.
  const request = (path) => new Request(scope + path, { cache: FRESH.has(path) ? "no-cache" : "default", credentials: "same-origin" });
  await cache.addAll(FILES.filter((path) => path !== OPTIONAL).map(request));
  await cache.add(request(OPTIONAL)).catch(() => {});
  await self.skipWaiting();
}

self.addEventListener("activate", (event) => {
  event.waitUntil(forgetOldVersions());
});

/** Keeps this version and the one before it, from which an open page may still load its engine. */
async function forgetOldVersions() {
  const others = (await caches.keys()).filter((name) => name.startsWith(PREFIX) && name !== CACHE);
  await Promise.all(others.slice(0, -1).map((name) => caches.delete(name)));
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const path = request.method === "GET" && !request.headers.has("range") ? pathOf(request.url) : undefined;
  if (path === undefined || !own.has(path)) return;
  event.respondWith(FRESH.has(path) ? fromNetwork(request, path) : fromCache(request, path));
});

async function fromCache(request, path) {
  // Another version's cache serves a page of that version.
  const kept = await caches.match(scope + path);
  const answer = kept ?? (await fetch(request));
  if (!kept && later.has(path) && answer.ok) {
    const copy = answer.clone();
    // Where there is no room, the file is fetched again the next time.
    caches.open(CACHE).then((cache) => cache.put(scope + path, copy)).catch(() => {});
  }
  return answer;
}

/** Asks the network, and falls back to this version's file if there is no answer in time. */
async function fromNetwork(request, path) {
  const kept = caches.open(CACHE).then((cache) => cache.match(scope + path));
  let timer;
  const late = new Promise((resolve) => (timer = setTimeout(resolve, PATIENCE))).then(() => kept);
  const answer = fetch(request).catch(() => undefined);
  const first = await Promise.race([answer, late]);
  clearTimeout(timer);
  return first?.ok ? first : ((await kept) ?? (await answer) ?? Response.error());
}
