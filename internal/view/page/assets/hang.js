// Reports of runs that did not end: the text, and who waits for whom as a picture.

const svgSpace = "http://www.w3.org/2000/svg";

function svg(tag, attributes, ...children) {
  const e = document.createElementNS(svgSpace, tag);
  for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
  for (const c of children) e.append(c);
  return e;
}

// cut shortens a text.
const cut = (s, n) => ([...s].length > n ? [...s].slice(0, n - 1).join("") + "…" : s);

// waitPicture draws boxes on the left that wait, and on the right those that do not and would end a
// wait. Arrows have numbers; the list below the picture explains them.
function waitPicture(hang, name) {
  const width = 380, line = 16, gap = 26, middle = 120, most = 50;
  const tall = (b) => b.lines.length * line + 14;
  const place = hang.boxes.map(() => null);
  let heights = [10, 10];
  hang.boxes.forEach((b, i) => {
    const side = b.outside ? 1 : 0;
    place[i] = { x: side === 0 ? 70 : 70 + width + middle, y: heights[side], h: tall(b) };
    heights[side] += tall(b) + gap;
  });
  const two = hang.boxes.some((b) => b.outside);
  const w = 70 + width + (two ? middle + width : 0) + 10, h = Math.max(...heights);
  const head = "head-" + name;
  const g = svg("svg", { viewBox: "0 0 " + w + " " + h, width: w, height: h, class: "waits", role: "img", "aria-label": "Who waits for whom; the list below says the same" },
    svg("defs", {}, svg("marker", { id: head, viewBox: "0 0 8 8", refX: 8, refY: 4, markerWidth: 8, markerHeight: 8, orient: "auto-start-reverse" }, svg("path", { d: "M0 0L8 4L0 8z", class: "arrowhead" }))));
  hang.arrows.forEach((a, i) => {
    const from = place[a.from], to = place[a.to];
    let path, x, y;
    const fy = from.y + from.h / 2 + (i % 3 - 1) * 7, ty = to.y + to.h / 2 + (i % 3 - 1) * 7;
    if (from.x === to.x) { // within a column, on its left
      const bend = from.x - 24 - (i % 4) * 10;
      path = a.from === a.to ? `M${from.x} ${from.y + 10}C${bend - 20} ${from.y},${bend - 20} ${from.y + from.h},${from.x} ${from.y + from.h - 10}` : `M${from.x} ${fy}C${bend - 16} ${fy},${bend - 16} ${ty},${to.x} ${ty}`;
      x = a.from === a.to ? bend : bend - 2;
      y = a.from === a.to ? from.y + from.h / 2 : (fy + ty) / 2;
    } else {
      path = `M${from.x + width} ${fy}C${from.x + width + middle / 2} ${fy},${to.x - middle / 2} ${ty},${to.x} ${ty}`;
      x = from.x + width + middle / 2;
      y = (fy + ty) / 2;
    }
    g.append(svg("path", { d: path, class: "arrow", "marker-end": "url(#" + head + ")" }),
      svg("circle", { cx: x, cy: y, r: 9, class: "number" }), svg("text", { x, y: y + 4, class: "number", "text-anchor": "middle" }, String(i + 1)));
  });
  hang.boxes.forEach((b, i) => {
    const p = place[i];
    g.append(svg("g", {}, svg("title", {}, b.lines.join("\n")), svg("rect", { x: p.x, y: p.y, width, height: p.h, rx: 5, class: b.outside ? "box outside" : "box" }),
      ...b.lines.map((l, k) => svg("text", { x: p.x + 10, y: p.y + 19 + k * line }, cut(l, most)))));
  });
  const short = (i) => cut(hang.boxes[i].lines[0], 60);
  return el("div", {}, el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Picture of waits" }, g),
    el("ol", { class: "arrows" }, hang.arrows.map((a) => el("li", {}, short(a.from) + " → " + short(a.to), a.lines.length > 0 ? ": " + a.lines.join("; ") : ""))));
}

// together merges the arrows of a hang that have the same ends.
function together(arrows) {
  const by = new Map();
  for (const a of arrows) {
    const key = a.from + " " + a.to;
    if (!by.has(key)) by.set(key, { from: a.from, to: a.to, lines: [] });
    for (const l of a.lines) if (!by.get(key).lines.includes(l)) by.get(key).lines.push(l);
  }
  return [...by.values()];
}

function hangsSection() {
  if (!page.hangs || page.hangs.length === 0) return;
  section("hangs", "Hangs", page.hangs.map((h, i) => {
    const row = rowOf(h.run);
    const box = el("details", { class: "card", open: i === 0 }, el("summary", {}, el("span", { class: "status " + statusClass(h.kind) }, h.kind), " " + nameOf(row)));
    // Pictures are made when they are looked at: a store may have thousands.
    const fill = () => {
      if (box.childElementCount > 1 || !box.open) return;
      box.append(el("pre", { class: "report" }, h.text));
      if (h.boxes.length > 0) box.append(el("h4", {}, "Who waits for whom"), waitPicture({ boxes: h.boxes, arrows: together(h.arrows) }, i));
      box.append(el("p", {}, runLink(row)), code(named("command", row) || ""));
    };
    hangCards.set(h.run, box);
    box.addEventListener("toggle", fill);
    fill();
    return box;
  }));
}
