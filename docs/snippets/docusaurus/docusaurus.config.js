export default {
  title: "A slow query",
  url: "https://docs.example.org",
  baseUrl: "/",
  scripts: [{ src: "/queryscope/element/queryscope-viewer.js", type: "module" }],
};
