// What bounds a kernel, and its roofline: how many thread instructions a second it reaches, beside what the
// machine allows with as many bytes for each.

// withPrefix is a rate with a prefix: "33.5 T".
function withPrefix(x) {
  const prefixes = ["", "k", "M", "G", "T", "P"];
  let i = 0;
  for (; x >= 1000 && i + 1 < prefixes.length; i++) x /= 1000;
  return x.toPrecision(3) + " " + prefixes[i];
}

// rooflinePicture draws on logarithmic axes the roof of each level of the memory, and the kernel as a point on the
// level's intensity.
function rooflinePicture(r, name) {
  const width = 520, height = 300, left = 62, right = 120, top = 12, bottom = 40;
  const at = r.levels.map((l) => l.operations_per_byte), ridge = r.levels.map((l) => r.peak_operations_per_second / l.peak_bytes_per_second);
  const x0 = Math.floor(Math.log10(Math.min(...at, ...ridge))) , x1 = Math.ceil(Math.log10(Math.max(...at, ...ridge))) + 0.5;
  const low = Math.min(r.operations_per_second, ...r.levels.map((l) => l.peak_bytes_per_second * 10 ** x0));
  const y0 = Math.floor(Math.log10(low)), y1 = Math.ceil(Math.log10(r.peak_operations_per_second));
  const x = (v) => left + (Math.log10(v) - x0) / (x1 - x0) * (width - left - right);
  const y = (v) => height - bottom - (Math.log10(v) - y0) / (y1 - y0) * (height - top - bottom);
  const g = svg("svg", { viewBox: "0 0 " + width + " " + height, width, height, class: "roofline", role: "img", "aria-label": "Roofline of " + name + "; the table below says the same" });
  for (let e = y0; e <= y1; e++) {
    g.append(svg("path", { class: "grid", d: "M" + left + " " + y(10 ** e) + "H" + (width - right) }), svg("text", { x: left - 6, y: y(10 ** e) + 4, "text-anchor": "end" }, withPrefix(10 ** e).replace(".00", "")));
  }
  for (let e = Math.ceil(x0); e <= x1; e++) g.append(svg("text", { x: x(10 ** e), y: height - bottom + 16, "text-anchor": "middle" }, String(+(10 ** e).toPrecision(2))));
  g.append(svg("text", { x: (left + width - right) / 2, y: height - 6, "text-anchor": "middle" }, "thread instructions per byte"));
  r.levels.forEach((l, i) => {
    const knee = Math.min(ridge[i], 10 ** x1);
    g.append(svg("path", { class: "roof", d: "M" + x(10 ** x0) + " " + y(l.peak_bytes_per_second * 10 ** x0) + "L" + x(knee) + " " + y(Math.min(r.peak_operations_per_second, l.peak_bytes_per_second * knee)) + "H" + (width - right) }));
    g.append(svg("circle", { class: "reached", cx: x(l.operations_per_byte), cy: y(r.operations_per_second), r: 4 }),
      svg("text", { x: x(l.operations_per_byte) + 7, y: y(r.operations_per_second) - 5 - 12 * i }, l.name));
  });
  return g;
}

// explanation says what bounds a kernel, with its roofline.
function explanation(kernel) {
  const b = kernel.explained;
  if (!b || !b.bound_by) return null;
  const r = b.roofline;
  return el("div", {}, el("p", {}, "Bound by " + b.bound_by.text + "."),
    !r || !r.levels ? null : el("div", { class: "scroll" }, rooflinePicture(r, kernel.name),
      el("table", {}, el("caption", {}, "Roofline: " + withPrefix(r.operations_per_second) + "thread instructions a second, of at most " + withPrefix(r.peak_operations_per_second)),
        el("thead", {}, el("tr", {}, ["level", "bytes moved", "peak, B/s", "thread inst/byte", "roof, inst/s", "reached"].map((h) => el("th", { scope: "col" }, h)))),
        el("tbody", {}, r.levels.map((l) => el("tr", {}, el("td", {}, l.name), [withPrefix(l.bytes), withPrefix(l.peak_bytes_per_second), l.operations_per_byte.toPrecision(3), withPrefix(l.roof_operations_per_second), share(r.operations_per_second, l.roof_operations_per_second)].map((v) => el("td", { class: "number" }, v))))))));
}
