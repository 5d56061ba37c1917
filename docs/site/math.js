// Typesets what pymdownx.arithmatex has marked: \( \) in a line, \[ \] on lines of their own.
document.addEventListener("DOMContentLoaded", () => {
  if (typeof katex === "undefined") return;  // formulas stay as they are written
  for (const element of document.querySelectorAll(".arithmatex")) {
    const text = element.textContent.trim();
    katex.render(text.slice(2, -2), element, {displayMode: text.startsWith("\\["), throwOnError: false});
  }
});
