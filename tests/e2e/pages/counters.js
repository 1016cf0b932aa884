// Counts what runs in a page: for the tests of embedding, before anything else.

/** The workers that run. */
export const workers = new Set();
const Native = Worker;
window.Worker = class extends Native {
  constructor(...given) {
    super(...given);
    workers.add(this);
  }
  terminate() {
    super.terminate();
    workers.delete(this);
  }
};
/** The addresses of blobs that were not given back. */
export const blobs = new Set();
const { createObjectURL, revokeObjectURL } = URL;
URL.createObjectURL = (blob) => {
  const address = createObjectURL.call(URL, blob);
  blobs.add(address);
  return address;
};
URL.revokeObjectURL = (address) => {
  blobs.delete(address);
  revokeObjectURL.call(URL, address);
};
export const errors = [];
addEventListener("error", (event) => errors.push(event.message));
addEventListener("unhandledrejection", (event) => errors.push(String(event.reason)));
