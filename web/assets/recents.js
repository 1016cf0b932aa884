// Keeps the traces that the user opened in this browser's own database, if the user wants that: nothing is kept otherwise.

const DATABASE = "queryscope";
const STORE = "traces";
/** At most this many traces and bytes are kept, as the page says; the ones that were opened longest ago make room. */
const MOST = 20;
const MOST_BYTES = 1e9;

/** Waits for the outcome of a request to the database. */
function outcome(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
    request.onblocked = () => reject(new Error("another tab uses the list"));
  });
}

/** Runs `work` with the store, and waits until its changes are on the disk. */
async function within(mode, work) {
  const opening = indexedDB.open(DATABASE, 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(STORE, { keyPath: "key" });
  const database = await outcome(opening);
  try {
    const transaction = database.transaction(STORE, mode);
    let isOver = false;
    const done = new Promise((resolve, reject) => {
      transaction.oncomplete = resolve;
      transaction.onerror = transaction.onabort = () => {
        isOver = true;
        reject(transaction.error ?? new Error("the browser ended the transaction"));
      };
    });
    try {
      const result = await work(transaction.objectStore(STORE));
      await done;
      return result;
    } catch (error) {
      // Half of the work would be stored: traces that made room for one that is not kept.
      done.catch(() => {});
      if (!isOver) transaction.abort();
      throw error;
    }
  } finally {
    database.close();
  }
}

const byTime = (a, b) => b.opened - a.opened;

/** All kept traces without their files, the last opened first: `{ key, name, bytes, opened }`. */
export async function list() {
  const kept = await within("readonly", (store) => outcome(store.getAll()));
  return kept.sort(byTime).map(({ key, name, bytes, opened }) => ({ key, name, bytes, opened }));
}

/**
 * Keeps a trace: its name, the number of its bytes, and its files and addresses as the page describes them. Returns the names
 * of the traces that were deleted to make room (`deleted`), or the limit in bytes that the trace exceeds (`limit`), or whether
 * the browser has no room (`isFull`).
 */
export async function keep(name, bytes, sources) {
  if (bytes > MOST_BYTES) return { limit: MOST_BYTES };
  const key = `${name}\n${bytes}`;
  const deleted = [];
  try {
    await within("readwrite", async (store) => {
      const others = (await outcome(store.getAll())).filter((trace) => trace.key !== key).sort(byTime);
      let left = MOST_BYTES - bytes;
      others.forEach((trace, number) => {
        left -= trace.bytes;
        if (left >= 0 && number < MOST - 1) return;
        store.delete(trace.key);
        deleted.push(trace.name);
      });
      store.put({ key, name, bytes, sources, opened: Date.now() });
    });
  } catch (error) {
    if (error?.name === "QuotaExceededError") return { isFull: true };
    throw error;
  }
  return { deleted };
}

/** The files and addresses of a kept trace; undefined if it is no longer kept. */
export async function take(key) {
  return (await within("readonly", (store) => outcome(store.get(key))))?.sources;
}

/** Deletes a kept trace, or all of them. */
export async function remove(key) {
  await within("readwrite", (store) => (key === undefined ? store.clear() : store.delete(key)));
}
