// What figures show: the selected runs in groups, with medians.

const median = (list) => {
  const s = list.slice().sort((a, b) => a - b), m = s.length >> 1;
  return s.length % 2 ? s[m] : (s[m - 1] + s[m]) / 2;
};

// text is a value as a category.
const text = (v) => (v === null ? "(none)" : String(v));

// seriesOf are the columns that tell series apart.
const seriesOf = (f) => [f.series, f.split].filter((n) => n && byName.has(n));

// mixed names the settings in which runs of one median differ.
function mixed(f, all) {
  const shown = [f.x, ...seriesOf(f)];
  return page.columns.map((c, i) => i).filter((i) => {
    const c = page.columns[i];
    if (c.same !== undefined || shown.includes(c.name) || !(c.kind === "setting" || ["algorithm", "scheduler", "graph", "device", "version"].includes(c.name))) return false;
    return all.some((g) => g.rows.some((r) => value(i, r) !== value(i, g.rows[0])));
  }).map((i) => page.columns[i].name);
}

// points returns the selected runs that ended well and have the numbers of a figure: {x, y, series, row}.
function points(f) {
  const x = byName.get(f.x), y = f.y ? byName.get(f.y) : undefined;
  const by = seriesOf(f).map((n) => byName.get(n));
  const list = [];
  for (const row of table.rows) {
    if (named("status", row) !== "ok") continue;
    const p = { row, x: value(x, row), y: y === undefined ? 0 : value(y, row), parts: by.map((i) => text(value(i, row))) };
    p.series = p.parts.join(", ");
    if (typeof p.y !== "number" || (f.log_y && f.kind !== "heat" && f.kind !== "histogram" && p.y <= 0)) continue;
    if (f.log_x && !(p.x > 0)) continue;
    if (p.x === null) continue;
    list.push(p);
  }
  return list;
}

// inOrder sorts categories: numbers by size, texts by letters.
function inOrder(set) {
  return [...set].sort((a, b) => compare(a, b, false));
}

// groups returns [{series, x, y, low, high, rows}]: the medians of y.
function groups(list) {
  const by = new Map();
  for (const p of list) {
    const key = JSON.stringify([p.series, p.x]);
    if (!by.has(key)) by.set(key, { series: p.series, x: p.x, values: [], rows: [] });
    const g = by.get(key);
    g.values.push(p.y);
    g.rows.push(p.row);
  }
  const all = [...by.values()];
  for (const g of all) {
    g.y = median(g.values);
    g.low = Math.min(...g.values);
    g.high = Math.max(...g.values);
  }
  return all.sort((a, b) => compare(a.series, b.series, false) || compare(a.x, b.x, false));
}

// bins returns the bins of a histogram as "weft plot" has them, of equal width, or of equal ratio on a logarithmic axis:
// {edges, counts by series}. Their number is about the square root of the number of runs.
function bins(list, log) {
  let low = Infinity, high = -Infinity;
  for (const p of list) { low = Math.min(low, p.x); high = Math.max(high, p.x); }
  let n = Math.min(Math.max(Math.ceil(Math.sqrt(list.length)), 5), 24), step;
  if (alike(low, high)) [n, step, log] = [1, 1, false];
  else if (log) step = (high / low) ** (1 / n);
  else {
    const round = rounded(low, high, n);
    step = round.length < 2 ? (high - low) / n : round[1] - round[0];
    if (round.length >= 2) {
      low = Math.floor(low / step) * step;
      n = Math.floor((high - low) / step) + 1;
    }
  }
  const counts = new Map();
  for (const p of list) {
    if (!counts.has(p.series)) counts.set(p.series, new Array(n).fill(0));
    const i = Math.floor((log ? Math.log(p.x / low) / Math.log(step) : (p.x - low) / step) + 1e-9);
    counts.get(p.series)[Math.min(n - 1, Math.max(0, i))]++;
  }
  const edges = [];
  for (let i = 0; i <= n; i++) edges.push(log ? low * step ** i : low + i * step);
  return { edges, counts };
}

// contents says what a figure holds as a table, for those who do not see it: {head, rows}.
function contents(f, list) {
  if (f.kind === "histogram") {
    const b = bins(list, f.log_x), names = inOrder(b.counts.keys());
    return { head: [labelOf(f.x) + " from", "to", ...names.map((n) => (n === "" ? "runs" : n))], rows: b.edges.slice(1).map((e, i) => [format(b.edges[i]), format(e), ...names.map((n) => b.counts.get(n)[i])]) };
  }
  const by = seriesOf(f).map(labelOf).join(", ");
  const head = [by || null, labelOf(f.x), "median of " + labelOf(f.y), "least", "most", "runs"];
  const rows = groups(list).map((g) => [by ? g.series : null, text(g.x), format(g.y), format(g.low), format(g.high), g.rows.length]);
  return by ? { head, rows } : { head: head.slice(1), rows: rows.map((r) => r.slice(1)) };
}

// captionOf says what a figure shows, in the words of the captions of "weft plot".
function captionOf(f, list, series) {
  const where = [...chosenConditions(), ...(table.text.trim() ? ["any text contains " + table.text.trim()] : [])];
  const sign = { lines: "a line", bars: "a color", points: "a color", histogram: "a color" }[f.kind];
  const each = sign && series > 1 ? "; " + sign + " for each " + seriesOf(f).map(labelOf).join(" and ") : "";
  return format(list.length) + (list.length === 1 ? " run" : " runs") + " of " + page.store + (where.length > 0 ? " where " + where.join(" and ") : "") + each + ".";
}

// conditions are the filters as flags of weft results. That command has no search over all columns, and
// it heeds upper and lower case.
function conditions() {
  return chosenConditions().map((c) => "--where " + word(c)).join(" ");
}

// chosenConditions are the conditions of the page and the filters of the table.
function chosenConditions() {
  const list = page.where ? page.where.slice() : [];
  for (const [column, f] of table.ranges) {
    const name = page.columns[column].name;
    if (f.part !== undefined) list.push(name + "~" + f.part);
    if (f.low !== null && f.low !== undefined) list.push(name + ">=" + f.low);
    if (f.high !== null && f.high !== undefined) list.push(name + "<=" + f.high);
  }
  return list;
}

// reproduce are the commands behind a figure: [what, command].
function reproduce(f) {
  const names = ["id", ...seriesOf(f), f.x, f.kind === "histogram" ? null : f.y].filter((n) => n);
  const list = (page.specs || []).slice(0, 3).map((s) => ["Make the runs, by the specification at the end of this page", "weft sweep " + word(s.file) + " --out " + word(page.store)]);
  const by = seriesOf(f).join(",");
  const flags = ["--kind " + f.kind, "--x " + word(f.x), f.kind === "heat" ? "--y " + word(f.series) + " --value " + word(f.y) : f.kind === "histogram" ? "" : "--y " + word(f.y),
    by && f.kind !== "heat" ? "--series " + word(by) : "", f.log_x ? "--logx" : "", f.log_y && f.kind !== "histogram" && f.kind !== "heat" ? "--logy" : "", conditions()];
  if (f.kind !== "points" && !(f.kind === "heat" && !f.series)) list.push(["Draw this figure", ["weft plot " + word(page.store), ...flags, "--out figure.svg"].filter((w) => w).join(" ")]);
  list.push(["Print the runs behind it", ["weft results " + word(page.store), "--where status=ok", conditions(), "--columns " + word([...new Set(names)].join(",")), "--format csv"].filter((w) => w).join(" ")]);
  return list;
}
