// A page that holds the viewer in a frame and talks to it: what the tests of the protocol ask of it.

const messages = [];
let viewer;
addEventListener("message", (event) => {
  // Messages of what the frame holds now or held before.
  if (event.data?.queryscope) messages.push({ origin: event.origin, ...event.data });
});

window.page = {
  messages,
  /** Puts the viewer at an address into a frame. */
  hold(address, sandbox) {
    const frame = document.createElement("iframe");
    frame.id = "viewer";
    frame.src = address;
    if (sandbox) frame.sandbox = sandbox;
    document.body.append(frame);
    viewer = frame.contentWindow;
  },
  /** Opens the viewer at an address in a window. */
  openWindow(address) {
    viewer = window.open(address, "viewer");
  },
  send(message, transfer = []) {
    viewer.postMessage(message, "*", transfer);
  },
  /** Sends a request of the protocol. */
  ask(type, id, fields = {}) {
    this.send({ queryscope: 1, type, id, ...fields });
  },
  /** Sends a trace, fetched from this page's own site. */
  async give(id, address, fields = {}) {
    const source = await (await fetch(address)).arrayBuffer();
    viewer.postMessage({ queryscope: 1, type: "open", id, source, name: "run.json", ...fields }, "*", [source]);
  },
  answer: (id, type) => messages.find((message) => message.id === id && (!type || message.type === type)) ?? null,
  of: (type) => messages.filter((message) => message.type === type),
  window: () => viewer,
};
