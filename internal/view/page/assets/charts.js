// Figures, drawn by ECharts on a canvas.

// axis returns an axis for a column.
function axis(name, log, categories, colours, extra) {
  const c = page.columns[byName.get(name)] || { name };
  return Object.assign({
    type: categories ? "category" : log ? "log" : "value", data: categories || undefined, scale: !categories,
    name: c.unit === "s" && !categories ? c.name : withUnit(c.name, c.unit), nameLocation: "middle", nameGap: 30, nameTextStyle: { color: colours.text, width: 320, overflow: "truncate" },
    axisLabel: { color: colours.soft, hideOverlap: true, width: 110, overflow: "truncate", formatter: categories ? undefined : c.unit === "s" ? (v) => quantity(v, "s") : tick },
    axisLine: { show: true, lineStyle: { color: colours.soft } }, splitLine: { lineStyle: { color: colours.line } },
  }, extra);
}

// tick writes a number on an axis.
function tick(x) {
  const a = Math.abs(x);
  if (x === 0 || (a >= 0.01 && a < 10000)) return String(Number(x.toPrecision(6)));
  for (const [unit, name] of [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]]) if (a >= unit && a < 1e15) return Number((x / unit).toPrecision(6)) + " " + name;
  return Number(x.toPrecision(4)).toExponential().replace("e+", "e");
}

// tip is the content of a tooltip: lines of text.
function tip(lines) {
  return el("div", { class: "tip" }, lines.map((l) => el("div", {}, l)));
}

// groupTip describes a group of runs.
function groupTip(f, g) {
  const c = page.columns[byName.get(f.y)];
  const lines = [];
  const unit = c.unit ? " " + c.unit : "", over = unitIn(f.x) ? " " + unitIn(f.x) : "";
  if (seriesOf(f).length > 0) lines.push(seriesOf(f).map(labelOf).join(", ") + ": " + g.series);
  lines.push(f.x + ": " + format(g.x) + over, f.y + ": " + format(g.y) + unit);
  if (g.rows.length > 1) lines.push("median of " + g.rows.length + " runs, " + format(g.low) + " to " + format(g.high) + unit);
  else lines.push("run " + named("id", g.rows[0]) + "; click for more");
  return tip(lines);
}

// blank is what all figures have in common.
function blank(colours) {
  return {
    animation: false, color: colours.series, backgroundColor: colours.back, textStyle: { color: colours.text, fontFamily: "system-ui, sans-serif" },
    grid: { left: 70, right: 24, top: 46, bottom: 52 },
    tooltip: { trigger: "item", confine: true, backgroundColor: colours.back, borderColor: colours.line, textStyle: { color: colours.text, fontSize: 12 }, formatter: (p) => (p.data && p.data.tip ? p.data.tip() : tip([String(p.value)])) },
    legend: { type: "scroll", top: 4, textStyle: { color: colours.text, width: 220, overflow: "truncate" }, pageTextStyle: { color: colours.text }, pageIconColor: colours.text, inactiveColor: colours.soft },
  };
}

// option returns what ECharts draws for a figure.
function option(f, list, size) {
  const colours = isDark() && !size.print ? dark : light;
  const base = blank(colours);
  if (list.length === 0) return Object.assign(base, { title: { text: "no run has these numbers", left: "center", top: "middle", textStyle: { color: colours.soft, fontSize: 14, fontWeight: "normal" } } });
  const numeric = typeof list[0].x === "number";
  const xs = inOrder(new Set(list.map((p) => p.x)));
  const long = !numeric && Math.max(...xs.map((x) => text(x).length)) * 7 > (size.width - 100) / xs.length;
  const flat = { axisLabel: { color: colours.soft, width: Math.max(40, (size.width - 110) / xs.length - 8), overflow: "truncate", interval: xs.length > 30 ? "auto" : 0 } };
  const turned = numeric ? {} : !long ? flat : { axisLabel: { color: colours.soft, rotate: 25, width: 130, overflow: "truncate", interval: xs.length > 30 ? "auto" : 0 }, nameGap: 74 };
  if (long) base.grid.bottom = 96;
  const names = inOrder(new Set(list.map((p) => p.series)));
  if (f.kind === "histogram") return histogram(f, list, base, colours, size.width);
  if (f.kind === "heat") return heat(f, list, base, colours, xs, names, turned);
  const shown = names.slice(0, theme.series), looks = looksIn(f, list, shown);
  Object.assign(base.legend, { show: seriesOf(f).length > 0, formatter: legendIn(f) });
  base.yAxis = axis(f.y, f.log_y, null, colours, { nameGap: 50 });
  if (f.kind === "bars" && !f.log_y) base.yAxis.scale = false;
  if (f.kind === "bars" && f.log_y) base.yAxis.min = base.yAxis.startValue = 10 ** Math.floor(Math.log10(list.reduce((low, p) => Math.min(low, p.y), Infinity))); // where bars begin
  const category = f.kind === "bars" || !numeric;
  const label = (x) => text(x);
  base.xAxis = axis(f.x, f.log_x, category ? xs.map(label) : null, colours, turned);
  const all = groups(list);
  base.series = [];
  shown.forEach((name, i) => {
    const mine = all.filter((g) => g.series === name);
    const point = (g, x, y) => ({ value: [category ? xs.indexOf(x) : x, y], tip: () => groupTip(f, g), rows: g.rows });
    const colour = colourOf(looks[i], colours);
    const mark = markOf(looks[i], colours), raw = Object.assign({ type: "scatter", name }, mark);
    if (f.kind === "bars") {
      base.series.push({ type: "bar", name, barMaxWidth: 42, itemStyle: barOf(looks[i], colours), data: mine.map((g) => point(g, g.x, g.y)) });
    } else if (f.kind === "points") {
      const data = list.filter((p) => p.series === name).map((p) => point({ series: name, x: p.x, y: p.y, rows: [p.row] }, p.x, p.y));
      base.series.push(Object.assign(raw, { data, symbolSize: 8, large: data.length > 5000 }));
    } else {
      base.series.push({ type: "line", name, ...mark, symbolSize: 8, showAllSymbol: mine.length < 200, lineStyle: { color: colour, width: 2, type: dashOf(looks[i]) }, data: mine.map((g) => point(g, g.x, g.y)) });
      const spread = mine.filter((g) => g.low < g.high);
      if (spread.length > 0) { // every run, faintly
        const data = spread.flatMap((g) => g.rows.map((row, k) => point({ series: name, x: g.x, y: g.values[k], rows: [row] }, g.x, g.values[k])));
        base.series.push(Object.assign(raw, { data, symbolSize: 5, itemStyle: Object.assign({}, mark.itemStyle, { opacity: 0.35 }) }));
      }
    }
  });
  return base;
}

// looksIn returns the looks of the series of a chosen figure.
function looksIn(f, list, shown) {
  const parts = new Map(list.map((p) => [p.series, p.parts]));
  return looksOf(seriesOf(f), shown.map((name) => parts.get(name)));
}

// legendIn writes a series in a legend: a number with its column and unit.
function legendIn(f) {
  const by = seriesOf(f), unit = by.length === 1 && unitIn(by[0]) ? " " + unitIn(by[0]) : "";
  return (name) => (by.length === 1 && isNumber[byName.get(by[0])] ? by[0] + " = " + name + unit : name);
}

function histogram(f, list, base, colours, width) {
  const b = bins(list, f.log_x), unit = unitIn(f.x), n = b.edges.length - 1;
  base.xAxis = [hiddenBins(n, 0), binAxis(b.edges, unit, width - 100, unit === "s" ? f.x : labelOf(f.x), 0, colours)];
  base.yAxis = Object.assign(axis("runs", false, null, colours, { nameGap: 44 }), { scale: false, minInterval: 1 });
  Object.assign(base.legend, { show: seriesOf(f).length > 0, formatter: legendIn(f) });
  const names = inOrder(b.counts.keys()).slice(0, theme.series), looks = looksIn(f, list, names);
  base.series = names.map((name, k) => ({
    type: "bar", stack: "all", barCategoryGap: "4%", name, itemStyle: barOf(looks[k], colours),
    data: b.counts.get(name).map((n, i) => ({ value: n, tip: () => tip([name === "" ? f.x : seriesOf(f).map(labelOf).join(", ") + ": " + name, labelOf(f.x) + ": " + format(b.edges[i]) + " to " + format(b.edges[i + 1]), n + (n === 1 ? " run" : " runs")]) })),
  }));
  return base;
}

// scaleEnds are what stands at the ends of the scale of a heat map.
function scaleEnds(label, low, high, unit, colours) {
  return { text: [label + "\n" + quantity(high, unit, 3), quantity(low, unit, 3)], textStyle: { color: colours.text, width: 112, overflow: "breakAll", fontSize: 11, lineHeight: 15 } };
}

function heat(f, list, base, colours, xs, names, turned) {
  const all = groups(list);
  const values = all.map((g) => (f.log_y && g.y > 0 ? Math.log10(g.y) : g.y));
  const c = page.columns[byName.get(f.y)];
  base.grid.left = 120;
  base.grid.right = 124;
  base.xAxis = axis(f.x, false, xs.map(text), colours, turned);
  base.yAxis = axis(f.series || f.y, false, names.map((n) => n || "all"), colours, { nameGap: 96 });
  base.legend.show = false;
  base.visualMap = {
    min: Math.min(...values), max: Math.max(...values), calculable: false, orient: "vertical", right: 4, top: "middle", inRange: { color: theme.heat },
    ...scaleEnds(withUnit(f.y, c.unit), Math.min(...all.map((g) => g.y)), Math.max(...all.map((g) => g.y)), c.unit, colours), formatter: (v) => quantity(f.log_y ? 10 ** v : v, c.unit, 3), show: true,
  };
  base.series = [{ type: "heatmap", data: all.map((g, i) => ({ value: [xs.indexOf(g.x), names.indexOf(g.series), values[i]], tip: () => groupTip(f, g), rows: g.rows })), itemStyle: { borderColor: colours.back, borderWidth: 1 } }];
  return base;
}

// pictureOf is a figure as a PNG, with its title and, below it, its caption: which runs it shows.
function pictureOf(chart, title, caption) {
  const scale = 3, drawn = chart.renderToCanvas({ pixelRatio: scale }), width = drawn.width / scale, colours = isDark() ? dark : light;
  const c = document.createElement("canvas"), pen = c.getContext("2d"), row = 16, margin = 10, lines = [];
  const font = (size, weight) => { pen.font = weight + " " + size + "px system-ui, sans-serif"; };
  font(12, "normal");
  for (const sentence of caption) {
    let line = "";
    for (const w of sentence.split(" ")) {
      if (line && pen.measureText(line + " " + w).width > width - 2 * margin) { lines.push(line); line = w; } else line = line ? line + " " + w : w;
    }
    lines.push(line);
  }
  c.width = drawn.width;
  c.height = drawn.height + (30 + lines.length * row + margin) * scale;
  pen.scale(scale, scale);
  pen.fillStyle = colours.back;
  pen.fillRect(0, 0, c.width, c.height);
  pen.drawImage(drawn, 0, 30, width, drawn.height / scale);
  pen.fillStyle = colours.text;
  font(14, "bold");
  pen.fillText(title, margin, 20, width - 2 * margin);
  font(12, "normal");
  pen.fillStyle = colours.soft;
  lines.forEach((l, i) => pen.fillText(l, margin, 30 + drawn.height / scale + (i + 0.75) * row));
  return c.toDataURL("image/png");
}

// charts are the figures of the page: {draw(print), box, fixed}. Filters change no numbers of fixed ones.
const charts = [];

// figureCard makes a figure with its controls.
function figureCard(f) {
  const box = el("div", { class: "chart", role: "img" });
  const title = el("h3", {}), how = el("div"), data = el("div", { class: "scroll" }), note = el("p", { class: "note" }), controls = el("div", { class: "controls" });
  const numbers = page.columns.filter((c, i) => isNumber[i] && c.same === undefined).map((c) => [c.name, c.name]);
  const any = page.columns.filter((c) => c.same === undefined).map((c) => [c.name, c.name]);
  const keep = (list, name) => (name && !list.some(([n]) => n === name) ? [[name, name], ...list] : list);
  const detail = el("details", { class: "more" }, el("summary", {}, "Numbers, and how to get them"), how, data);
  let chart = null;
  const describe = () => (f.kind === "histogram" ? "How often " + f.x : f.y + " over " + f.x) + (seriesOf(f).length > 0 ? ", by " + seriesOf(f).join(" and ") : "");
  const drawControls = () => {
    const set = (key) => (v) => { f[key] = v; f.title = describe(); drawControls(); draw(false); };
    const tick = (label, key) => el("label", {}, el("input", { type: "checkbox", checked: Boolean(f[key]), onchange: (e) => { f[key] = e.target.checked; draw(false); } }), " " + label);
    const focus = document.activeElement && controls.contains(document.activeElement) ? [...controls.querySelectorAll("select")].indexOf(document.activeElement) : -1;
    controls.replaceChildren(...[
      select("Kind", [["lines", "lines"], ["points", "points"], ["bars", "bars"], ["heat", "heat map"], ["histogram", "histogram"]], f.kind, set("kind")),
      select("X", keep(f.kind === "histogram" ? numbers : any, f.x), f.x, set("x")),
      f.kind === "histogram" ? null : select(f.kind === "heat" ? "Colour" : "Y", keep(numbers, f.y), f.y, set("y")),
      select(f.kind === "heat" ? "Down" : "Series", [["", "none"], ...keep(any, f.series)], f.series || "", set("series")),
      f.kind === "heat" || !f.series ? null : select("and", [["", "nothing else"], ...keep(any, f.split)], f.split || "", set("split")),
      f.kind === "bars" || f.kind === "heat" ? null : tick("log X", "log_x"),
      f.kind === "histogram" ? null : tick(f.kind === "heat" ? "log colour" : "log Y", "log_y"),
      el("button", { type: "button", onclick: () => chart && save("figure.png", pictureOf(chart, f.title, [note.textContent])) }, "Save as PNG"),
    ].filter((c) => c));
    if (focus >= 0 && controls.querySelectorAll("select")[focus]) controls.querySelectorAll("select")[focus].focus();
  };
  const draw = (print) => {
    if (f.kind !== "histogram" && !f.y && numbers.length > 0) f.y = numbers[0][0];
    const log = f.log_x && (f.kind === "bars" || f.kind === "heat" || !isNumber[byName.get(f.x)]) ? false : f.log_x;
    const shape = Object.assign({}, f, { log_x: log, split: f.kind === "heat" || !f.series ? "" : f.split });
    const list = f.kind === "histogram" && !isNumber[byName.get(f.x)] ? [] : points(shape);
    title.textContent = f.title;
    box.setAttribute("aria-label", f.title + ", " + list.length + " runs; the numbers follow");
    const series = new Set(list.map((p) => p.series)).size;
    const mixes = f.kind === "points" || f.kind === "histogram" ? [] : mixed(shape, groups(list));
    const left = table.rows.length - list.length;
    note.textContent = [captionOf(shape, list, series),
      mixes.length > 0 ? "Medians of runs that differ in " + mixes.join(", ") + "." : "",
      left > 0 ? "Left out: " + format(left) + (left === 1 ? " run that did not end well or has" : " runs that did not end well or have") + " no such number." : "",
      series > theme.series && f.kind !== "heat" ? "Only " + theme.series + " of " + series + " series are drawn." : ""].filter((s) => s).join(" ");
    how.replaceChildren(commandList(reproduce(shape)), table.text.trim() ? el("p", { class: "note" }, "The commands do not know the text filter above the table.") : "");
    if (detail.open) fill(shape, list);
    if (!box.isConnected || typeof echarts === "undefined") return;
    if (chart === null) {
      chart = echarts.init(box, null, { renderer: "canvas" });
      chart.on("click", (p) => { if (p.data && p.data.rows) showRuns(p.data.rows.map((r) => named("id", r))); });
    }
    chart.resize();
    chart.setOption(option(shape, list, { width: box.clientWidth, print }), true);
  };
  const fill = (shape, list) => {
    data.replaceChildren(...numbersTable(contents(shape, list)));
  };
  detail.addEventListener("toggle", () => draw(false));
  drawControls();
  charts.push({ draw, box });
  return el("figure", {}, title, controls, box, note, detail);
}

// blankFigure is a figure with all its fields.
const blankFigure = (f) => Object.assign({ series: "", split: "", y: "" }, f);

// figuresSection adds the figures.
function figuresSection() {
  const plots = page.plots || [], figures = page.figures || [];
  if (plots.length + figures.length === 0) return;
  const grid = el("div", { class: "figures chosen" }, figures.map((f) => figureCard(blankFigure(f))));
  const explore = (f) => {
    const card = figureCard(blankFigure(f));
    grid.append(card);
    charts[charts.length - 1].draw(false);
    card.scrollIntoView({ block: "nearest" });
    card.querySelector("select").focus();
  };
  section("figures", "Figures", plots.length === 0 ? null : [
    el("p", { class: "note" }, "The plots of the specifications, with the numbers that weft plot draws. Values whose runs the table's filters leave out are faint. Click a value for its runs."),
    el("div", { class: "figures" }, plots.map((p) => plotCard(p, explore))), el("h3", {}, "More figures")],
  el("p", { class: "note" }, "These figures show the runs that the table below selects, and the columns that you choose; points are medians if several runs share a place. Click a point for its runs."), grid,
  figures.length === 0 ? null : el("button", { type: "button", onclick: () => explore(figures[0]) }, "Add a figure"));
  let waiting = false;
  const all = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; charts.forEach((c) => c.draw(false)); });
  };
  // Of the plots a filter changes nothing but what is faint: they wait until the reader has stopped typing.
  let later = 0;
  table.listeners.push(() => {
    clearTimeout(later);
    later = setTimeout(() => charts.forEach((c) => c.fixed && c.draw(false)), 300);
    requestAnimationFrame(() => charts.forEach((c) => c.fixed || c.draw(false)));
  });
  addEventListener("resize", all);
  addEventListener("beforeprint", () => charts.forEach((c) => c.draw(true)));
  addEventListener("afterprint", all);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", all);
  redraw = all;
}

// redraw draws all figures anew.
let redraw = () => {};
