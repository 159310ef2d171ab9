// Source of kernels with the cost of each line.

const share = (part, whole) => (whole > 0 ? (100 * part / whole).toFixed(1) + "%" : "");

// reasons are the main reasons why warps wait.
function reasons(line, most) {
  const all = Object.entries(line.stalls || {}).sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  return all.slice(0, most).filter(([, n]) => n * 20 >= line.stalled_warp_cycles).map(([name, n]) => name + " " + Math.round(100 * n / line.stalled_warp_cycles) + "%").join(", ");
}

// heatClass is how hot a line is, from 0 to 5.
function heatClass(line, whole) {
  const s = whole > 0 ? line.stalled_warp_cycles / whole : 0;
  return "hot" + (s >= 0.3 ? 5 : s >= 0.15 ? 4 : s >= 0.07 ? 3 : s >= 0.03 ? 2 : s >= 0.01 ? 1 : 0);
}

// costCells are the cells of a line with a cost.
function costCells(line, whole) {
  if (!line) return [el("td"), el("td"), el("td"), el("td")];
  return [
    el("td", { class: "number " + heatClass(line, whole) }, share(line.stalled_warp_cycles, whole)),
    el("td", { class: "number" }, format(line.warp_instructions)),
    el("td", { class: "number" }, line.lanes.toFixed(1)),
    el("td", { class: "why" }, [reasons(line, 2), line.requests ? (line.sectors / line.requests).toFixed(1) + " sectors" : "", line.atomics ? format(line.atomics) + " atomics" : "", line.longest_queue > 1 ? "queue " + format(line.longest_queue) : ""].filter((s) => s).join("; ")),
  ];
}

// sourceTable shows the declarations of a file that have costs.
function sourceTable(file, lines, whole, id) {
  const at = new Map(lines.filter((l) => l.file === file.file).map((l) => [l.line, l]));
  const body = el("tbody");
  (file.parts || []).forEach((part, i) => {
    if (i > 0) body.append(el("tr", {}, el("td", { colspan: 6, class: "gap" }, "…")));
    part.lines.forEach((text, k) => {
      const n = part.first + k, l = at.get(n);
      body.append(el("tr", { id: l ? id + "-" + n : undefined }, costCells(l, whole), el("td", { class: "number line" }, String(n)), el("td", { class: "source" }, text.replaceAll("\t", "    "))));
    });
  });
  if (!file.parts) for (const [n, l] of at) body.append(el("tr", {}, costCells(l, whole), el("td", { class: "number line" }, String(n)), el("td", {}, "(no source)")));
  return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Source of " + (file.file || "no file") }, el("table", { class: "code" },
    el("caption", {}, file.file || "the kernel's end, and what has no position in a file"),
    el("thead", {}, el("tr", {}, ["stalls", "inst", "lanes", "waits for", "line", ""].map((h) => el("th", { scope: "col" }, h)))), body));
}

function kernelPart(kernel, profile, id) {
  const hottest = kernel.lines.slice().sort((a, b) => b.stalled_warp_cycles - a.stalled_warp_cycles).filter((l) => l.stalled_warp_cycles > 0).slice(0, 8);
  const files = kernel.source || [];
  const textOf = (l) => {
    for (const f of files) if (f.file === l.file) for (const p of f.parts || []) if (l.line >= p.first && l.line < p.first + p.lines.length) return p.lines[l.line - p.first].trim();
    return "";
  };
  const jump = (l) => "#" + id + "-" + files.findIndex((f) => f.file === l.file) + "-" + l.line;
  return el("div", {}, el("h4", {}, kernel.name),
    el("p", { class: "note" }, format(kernel.launches) + (kernel.launches === 1 ? " launch, " : " launches, ") + format(kernel.cycles) + " cycles"),
    explanation(kernel),
    hottest.length === 0 ? null : el("div", { class: "scroll" }, el("table", { class: "code" }, el("caption", {}, "Lines that warps wait at most"),
      el("tbody", {}, hottest.map((l) => el("tr", {}, costCells(l, profile.stalled_warp_cycles), el("td", {}, el("a", { href: jump(l) }, (l.file || "").split("/").pop() + ":" + l.line)), el("td", { class: "source" }, textOf(l))))))),
    files.map((f, i) => sourceTable(f, kernel.lines, profile.stalled_warp_cycles, id + "-" + i)));
}

function profilesSection() {
  if (!page.profiles || page.profiles.length === 0) return;
  section("source", "Source", el("p", { class: "note" }, "stalls: share of all cycles in which warps of the run waited. inst: warp instructions. lanes: active lanes per instruction, on average."),
    page.profiles.map((p, i) => {
      const box = el("details", { class: "card", open: i === 0 }, el("summary", {}, nameOf(rowOf(p.run))));
      const fill = () => {
        if (box.childElementCount > 1 || !box.open) return;
        if (p.note) box.append(el("p", { class: "note" }, p.note));
        box.append(el("p", {}, runLink(rowOf(p.run))), code(p.command), ...p.kernels.map((k, n) => kernelPart(k, p, "src-" + i + "-" + n)));
      };
      profileCards.set(p.run, box);
      box.addEventListener("toggle", fill);
      fill();
      return box;
    }));
}
