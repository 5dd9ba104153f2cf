// What tests ask of a page in the browser; `axe` is axe-core, where it was loaded.

// What axe-core finds within a part of the page, or within all of it, with at most three places for
// each rule.
globalThis.violations = async (part) => {
  const place = part ? document.querySelector(part) : document;
  const { violations } = await axe.run(place, { resultTypes: ["violations"] });
  return violations.flatMap((rule) =>
    rule.nodes.slice(0, 3).map((node) => `${rule.id}: ${node.target} ${node.html.slice(0, 120)}`),
  );
};

// Texts that cannot be seen in full, and whether the page is wider than the screen.
globalThis.cutOff = () => {
  const width = document.documentElement.clientWidth;
  const wide = document.documentElement.scrollWidth;
  const faults = wide > width ? [`scrolls sideways: ${wide}`] : [];
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!own || !element.checkVisibility() || isHidden(element)) continue;
    if (element.closest(".skip, title, desc, script, option")) continue;
    const how = element.ownerSVGElement ? inChart(element) : onPage(element, width);
    if (how) faults.push(`${how}: ${element.tagName} "${element.textContent.trim().slice(0, 40)}"`);
  }
  for (const part of document.querySelectorAll("section:has(> .stacks)")) {
    // Lists of what one acts on fit beside the menu; tables of figures have regions that scroll.
    const isCut = part.scrollWidth > part.clientWidth + 1;
    if (isCut) faults.push(`scrolls sideways: ${part.querySelector("caption")?.textContent}`);
  }
  return faults.slice(0, 6);
};

function inChart(text) {
  const chart = text.ownerSVGElement;
  if (getComputedStyle(chart).overflow === "visible") return null;
  const [box, frame] = [text.getBoundingClientRect(), chart.getBoundingClientRect()];
  const isAcross = box.left < frame.left - 1 || box.right > frame.right + 1;
  const isAbove = box.top < frame.top - 3 || box.bottom > frame.bottom + 3;
  return isAcross || isAbove ? "cut by its chart" : null;
}

function onPage(element, width) {
  const style = getComputedStyle(element);
  const isHiding = ["hidden", "clip"].includes(style.overflowX);
  if (isHiding && element.scrollWidth > element.clientWidth + 1) return "cut by its box";
  const isBeyond = element.getBoundingClientRect().right > width + 1;
  return isBeyond && !scrolls(element) ? "beyond the edge" : null;
}

// For screen readers alone.
function isHidden(element) {
  for (let at = element; at; at = at.parentElement) {
    if (getComputedStyle(at).clipPath !== "none") return true;
  }
  return false;
}

function scrolls(element) {
  for (let at = element; at; at = at.parentElement) {
    if (["auto", "scroll"].includes(getComputedStyle(at).overflowX)) return true;
  }
  return false;
}
