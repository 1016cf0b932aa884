// The viewers of a chapter have the book's theme.
const follow = () => {
  const isDark = ["ayu", "coal", "navy"].some((theme) => document.documentElement.classList.contains(theme));
  for (const viewer of document.querySelectorAll("queryscope-viewer")) viewer.setAttribute("theme", isDark ? "dark" : "light");
};
new MutationObserver(follow).observe(document.documentElement, { attributeFilter: ["class"] });
follow();
