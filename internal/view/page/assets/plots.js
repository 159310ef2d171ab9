// The plots of the specifications. Their numbers are in the page as "weft plot" draws them; nothing is computed here.

// quantity writes a number of a unit: 15 µs, 2M, 0.25.
function quantity(x, unit, digits) {
  if (unit !== "s") return tick(digits ? Number(x.toPrecision(digits)) : x);
  const a = Math.abs(x);
  for (const [factor, sign] of [[1, ""], [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"]]) if (a >= factor * 0.9999995) return Number((x / factor).toPrecision(digits || 6)) + " " + sign + "s";
  return x === 0 ? "0 s" : Number((x * 1e9).toPrecision(digits || 6)) + " ns";
}

// rounded returns about n round numbers from low to high: multiples of 1, 2, 2.5 or 5 times a power of ten.
function rounded(low, high, n) {
  if (!(high > low) || alike(low, high)) return [low];
  const power = 10 ** Math.floor(Math.log10((high - low) / n));
  const step = power * ([1, 2, 2.5, 5].find((f) => (high - low) / (f * power) <= n + 0.5) || 10);
  const list = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) list.push(Number((k * step).toPrecision(12)));
  return list;
}

// alike says whether numbers differ by their last digits alone: between them there are no round numbers to count through.
const alike = (a, b) => Math.abs(a - b) <= 1e-12 * Math.max(Math.abs(a), Math.abs(b));

// decades returns the marks of a logarithmic axis: powers of ten, and 2 and 5 times them if there are few.
function decades(low, high) {
  const list = [], wide = Math.log10(high / low);
  if (wide < 0.7) return rounded(low, high, 5);
  for (let e = Math.floor(Math.log10(low)); e <= Math.log10(high); e++) {
    for (const k of wide < 2.5 ? [1, 2, 5] : [1]) {
      const v = Number((k * 10 ** e).toPrecision(6));
      if (v >= low * 0.999999 && v <= high * 1.000001) list.push(v);
    }
  }
  return list;
}

// scaled returns the part of an axis that says its range and its marks. All panels have the same.
function scaled(low, high, log, zero, marks) {
  if (log) {
    const f = low === high ? 2 : (high / low) ** 0.05;
    low /= f;
    high *= f;
  } else if (low === high) {
    [low, high] = low === 0 ? [0, 1] : [Math.min(0, 2 * low), Math.max(0, 2 * low)];
  } else {
    const margin = 0.05 * (high - low), from = low, to = high;
    low = from >= 0 && (zero || from < 0.5 * to) ? 0 : from - margin;
    high = to <= 0 && zero ? 0 : to + margin;
  }
  const at = marks || (log ? decades(low, high) : rounded(low, high, 6));
  return { type: log ? "log" : "value", scale: true, min: low, max: high, marks: at };
}

// faint says whether the table's filters leave out all runs of a value.
function faint(runs, selected) {
  return selected !== null && !runs.some((id) => selected.has(id));
}

// panels places n panels: {columns, height, grid(i)}.
function panels(n, width, top, right) {
  const columns = n === 1 ? 1 : Math.max(1, Math.min(n, Math.floor(width / 340), n === 4 ? 2 : 3));
  const tall = n === 1 ? 312 : 246, rows = Math.ceil(n / columns), wide = (width - right) / columns;
  return {
    columns, height: top + rows * tall + 6,
    grid: (i) => ({ left: (i % columns) * wide + 84, width: wide - 106, top: top + Math.floor(i / columns) * tall + (n > 1 ? 26 : 8), height: tall - (n > 1 ? 76 : 58) }),
  };
}

// oneLine is a text as a figure shows it, which has no room for line ends.
const oneLine = (t) => t.replace(/\s+/g, " ");

// specified returns what ECharts draws for a plot of a specification, and its height.
function specified(plot, width, print) {
  const p = Object.assign({}, plot);
  for (const key of ["x", "series", "legend", "facets"]) if (p[key]) p[key] = p[key].map(oneLine);
  if (p.kind === "time") return timed(p, width, print);
  const colours = isDark() && !print ? dark : light;
  const base = blank(colours);
  const correlation = p.kind === "correlation", heat = p.kind === "heat", histogram = p.kind === "histogram", bars = p.kind === "bars" || histogram;
  const facets = correlation ? [""] : p.facets;
  const names = p.series.length > 1 || p.base ? p.series.filter((s) => s !== "") : [];
  const legend = !heat && (p.series.length > 1 || p.base);
  const layout = panels(facets.length, width, legend ? 42 : 14, heat ? 124 : 0);
  const selected = table.rows.length === rowCount ? null : new Set(table.rows.map((r) => named("id", r)));
  base.legend = Object.assign(base.legend, { show: Boolean(legend), data: [...names, ...(p.base ? [p.base] : [])], formatter: (name) => p.legend[p.series.indexOf(name)] || name });
  base.grid = facets.map((f, i) => layout.grid(i));
  base.title = facets.length > 1 ? facets.map((f, i) => ({
    text: cut(f, Math.max(10, Math.floor(base.grid[i].width / 7))), left: base.grid[i].left + base.grid[i].width / 2, top: base.grid[i].top - 24, textAlign: "center",
    textStyle: { color: colours.text, fontSize: 13, fontWeight: "normal" },
  })) : [];

  // Axes. Long names of categories are turned, and need room.
  const numeric = p.at && p.kind === "lines";
  const long = !numeric && !correlation && !histogram && Math.max(...p.x.map((t) => t.length)) * 7 > base.grid[0].width / p.x.length;
  if (long) base.grid.forEach((g) => { g.height -= 46; });
  const plain = (label, i, gap) => ({
    gridIndex: i, name: label, nameLocation: "middle", nameGap: gap, nameTextStyle: { color: colours.text, width: gap > 40 ? base.grid[i].height : base.grid[i].width, overflow: "truncate" },
    axisLabel: { color: colours.soft, hideOverlap: true }, axisTick: { show: true }, axisLine: { show: true, lineStyle: { color: colours.soft } }, splitLine: { lineStyle: { color: colours.line } },
  });
  const ruled = (a, s, unit) => Object.assign(a, { type: s.type, scale: true, min: s.min, max: s.max, axisLabel: Object.assign(a.axisLabel, { customValues: s.marks, formatter: (v) => quantity(v, unit) }), axisTick: { show: true, customValues: s.marks }, splitLine: Object.assign(a.splitLine, { show: true, customValues: s.marks }), minorTick: { show: false } });
  const worded = (a, list, room, long) => {
    const each = room / Math.max(1, list.length);
    return Object.assign(a, { type: "category", data: list, axisLabel: Object.assign(a.axisLabel, { hideOverlap: false, interval: list.length > 30 || each < 22 ? "auto" : 0 }, long ? { rotate: 28, width: 130, overflow: "truncate" } : { width: each, overflow: "truncate" }), nameGap: long ? 76 : 28 });
  };
  let low = Infinity, high = -Infinity;
  const seen = (v) => { low = Math.min(low, v); high = Math.max(high, v); };
  for (const v of p.values || []) { if (heat) seen(v.y); else { seen(v.lo); seen(v.y); seen(v.hi); } }
  for (const v of p.pairs || []) { seen(v.a); seen(v.b); }
  if (p.base && !heat) seen(1);
  const y = correlation ? scaled(low, high, true) : heat ? null : scaled(low, high, p.log_y, bars && !p.log_y);
  const x = correlation ? y : numeric ? scaled(Math.min(...p.at), Math.max(...p.at), p.log_x, false, p.at.length <= 9 ? p.at : null) : null;
  if (numeric && !p.log_x) x.min = Math.min(...p.at) - 0.05 * (Math.max(...p.at) - Math.min(...p.at)) || 0;
  base.xAxis = facets.map((f, i) => {
    const a = plain(p.x_label, i, 28);
    if (x) return ruled(a, x, p.x_unit);
    return histogram ? hiddenBins(p.x.length, i) : worded(a, p.x, base.grid[i].width, long);
  });
  if (histogram) base.xAxis.push(...facets.map((f, i) => binAxis(p.edges, p.x_unit, base.grid[i].width, p.x_label, i, colours)));
  base.yAxis = facets.map((f, i) => {
    const a = plain(p.y_label, i, 62);
    return heat ? Object.assign(worded(a, p.series, 1e9, false), { nameGap: 60, axisLabel: { color: colours.soft, width: 56, overflow: "truncate", interval: p.series.length > 20 ? "auto" : 0 } }) : Object.assign(ruled(a, y, p.unit), { startValue: y.min }); // where bars begin
  });

  // Values.
  const place = (k) => (numeric ? p.at[k] : k);
  const about = (v) => () => tip([
    facets.length > 1 ? facets[v.f] : "", names.length > 0 || heat ? (heat ? p.y_label : p.by) + ": " + p.series[v.s] : "", histogram ? p.x_label + ": " + quantity(p.edges[v.x], p.x_unit, 6) + " to " + quantity(p.edges[v.x + 1], p.x_unit, 6) : p.x_label + ": " + (numeric ? quantity(p.at[v.x], p.x_unit, 6) : p.x[v.x]),
    (heat ? p.value : p.y_label) + ": " + quantity(v.y, p.unit, 6), !histogram && v.lo < v.hi ? "from " + quantity(v.lo, p.unit, 6) + " to " + quantity(v.hi, p.unit, 6) : "",
    v.runs.length === 1 ? "run " + v.runs[0] : v.runs.length + " runs", "click for more",
  ].filter((s) => s));
  const item = (v, value, more) => Object.assign({ value, tip: about(v), ids: v.runs }, faint(v.runs, selected) ? { itemStyle: { opacity: 0.15 } } : {}, more);
  base.series = [];
  if (correlation) Object.assign(base.legend, { itemWidth: 12, itemHeight: 12 });
  if (correlation) base.series.push(...correlated(p, y, colours, selected, base));
  if (heat) {
    base.visualMap = {
      min: low, max: high, calculable: false, orient: "vertical", right: 4, top: "middle", inRange: { color: theme.heat }, formatter: (v) => quantity(v, p.unit, 3),
      ...scaleEnds(p.value, low, high, p.unit, colours),
    };
  }
  facets.forEach((f, i) => {
    if (correlation) return;
    const where = { xAxisIndex: i, yAxisIndex: i };
    if (heat) {
      const write = p.series.length * p.x.length <= 120 && base.grid[i].width / p.x.length > 34;
      const ink = (v) => (high > low && (v.y - low) / (high - low) > 0.55 ? "#1d2330" : "#ffffff");
      base.series.push(Object.assign({
        type: "heatmap", itemStyle: { borderColor: colours.back, borderWidth: 1 }, label: { show: write, fontSize: 11 },
        data: p.values.filter((v) => v.f === i).map((v) => item(v, [v.x, v.s, v.y], { label: { color: ink(v), formatter: quantity(v.y, p.unit, 3) } })),
      }, where));
      return;
    }
    p.series.forEach((name, s) => {
      const mine = p.values.filter((v) => v.f === i && v.s === s), look = p.looks[s], colour = colourOf(look, colours);
      if (bars) {
        const gaps = histogram && p.series.length === 1 ? { barGap: "0%", barCategoryGap: "4%" } : { barGap: "8%", barCategoryGap: "24%" };
        const data = new Array(p.x.length).fill(null).map((u, k) => mine.find((v) => v.x === k)).map((v, k) => (v ? item(v, [k, v.y]) : [k, "-"]));
        base.series.push(Object.assign({ type: "bar", name, itemStyle: barOf(look, colours), data }, gaps, where));
        const spread = histogram || p.spread === "none" ? [] : mine.filter((v) => v.lo < v.hi);
        if (spread.length > 0) base.series.push(Object.assign(whiskers(name, spread, gaps, s, p.series.length, colours), where));
        return;
      }
      base.series.push(Object.assign({
        type: "line", name, ...markOf(look, colours), symbolSize: 8, showAllSymbol: mine.length < 200, z: 3,
        lineStyle: { color: colour, width: 2, type: dashOf(look) }, data: mine.map((v) => item(v, [place(v.x), v.y])),
      }, where));
      if (p.spread !== "none" && mine.some((v) => v.lo < v.hi)) base.series.push(Object.assign(band(name, mine, place, colour), where));
    });
    if (p.base) {
      base.series.push(Object.assign({
        type: "line", name: p.base, data: [], symbol: "none", itemStyle: { color: colours.soft }, lineStyle: { color: colours.soft, type: "dashed" },
        markLine: { silent: true, symbol: "none", label: { show: false }, lineStyle: { color: colours.soft, type: "dashed", width: 1.5 }, data: [{ yAxis: 1 }] },
      }, where));
    }
  });
  return { option: base, height: layout.height };
}

// band is the spread of a line.
function band(name, mine, place, colour) {
  const data = mine.slice(1).map((v, i) => [place(mine[i].x), mine[i].lo, mine[i].hi, place(v.x), v.lo, v.hi]);
  return {
    type: "custom", name, silent: true, z: 1, clip: true, itemStyle: { color: colour }, encode: { x: [0, 3], y: [1, 2, 4, 5] }, data,
    renderItem: (params, api) => ({
      type: "polygon", style: { fill: colour, opacity: 0.2 },
      shape: { points: [[0, 1], [0, 2], [3, 5], [3, 4]].map(([x, y]) => api.coord([api.value(x), api.value(y)])) },
    }),
  };
}

// whiskers are the spread of bars.
function whiskers(name, spread, gaps, at, count, colours) {
  return {
    type: "custom", name, silent: true, z: 4, clip: true, itemStyle: { color: colours.text }, encode: { x: 0, y: [1, 2] }, data: spread.map((v) => [v.x, v.lo, v.hi]),
    renderItem: (params, api) => {
      const off = api.barLayout(Object.assign({ count }, gaps))[at].offsetCenter;
      const [x, low] = api.coord([api.value(0), api.value(1)]), high = api.coord([api.value(0), api.value(2)])[1];
      const line = (stroke, lineWidth) => ([x1, y1, x2, y2]) => ({ type: "line", shape: { x1, y1, x2, y2 }, style: { stroke, lineWidth } });
      const parts = [[x + off, low, x + off, high], [x + off - 3, low, x + off + 3, low], [x + off - 3, high, x + off + 3, high]];
      return { type: "group", children: [...parts.map(line(colours.back, 3)), ...parts.map(line(colours.text, 1.2))] }; // so that it is seen on black
    },
  };
}

// correlated are the pairs of a correlation, the line on which both values are the same, and the names of those farthest from it
// where they cover nothing.
function correlated(p, axis, colours, selected, base) {
  const grid = base.grid[0], share = (v) => Math.log(v / axis.min) / Math.log(axis.max / axis.min);
  const at = (v) => [grid.left + share(v.a) * grid.width, grid.top + (1 - share(v.b)) * grid.height];
  const far = p.pairs.filter((v) => v.outlier).map((v) => ({ text: cut(v.name, 34), x: at(v)[0], y: at(v)[1], width: wide(cut(v.name, 34), 11) }));
  const found = places(p.pairs.map(at), far, [grid.left, grid.top, grid.left + grid.width, grid.top + grid.height]);
  base.graphic = found.filter((n) => n).map((n) => ({ type: "text", x: n.x, y: n.y, silent: true, z: 5, style: { text: n.text, fill: colours.text, font: "11px system-ui, sans-serif", verticalAlign: "middle" } }));
  const list = p.series.map((name, s) => ({
    type: "scatter", name, ...markOf(p.looks[s], colours), symbolSize: 8, z: 3,
    data: p.pairs.filter((v) => v.s === s).map((v) => Object.assign({
      value: [v.a, v.b], ids: v.runs,
      tip: () => tip([v.name, p.series.length > 1 ? p.by + ": " + p.series[s] : "", p.x_label + ": " + quantity(v.a, p.unit, 6), p.y_label + ": " + quantity(v.b, p.unit, 6), "ratio " + format(v.b / v.a), v.runs.length + " runs", "click for more"].filter((t) => t)),
    }, faint(v.runs, selected) ? { itemStyle: { opacity: 0.15 } } : {})),
  }));
  list.push({ type: "line", silent: true, symbol: "none", lineStyle: { color: colours.soft, type: "dashed", width: 1.2 }, data: [[axis.min, axis.min], [axis.max, axis.max]] });
  return list;
}

// wide is the width of a text in pixels.
const wide = (() => {
  const c = document.createElement("canvas").getContext("2d");
  return (text, size) => { c.font = size + "px system-ui, sans-serif"; return c.measureText(text).width; };
})();

// numbersOf is a plot as a table: {head, rows}.
function numbersOf(p) {
  if (p.kind === "time") {
    const parts = p.facets.length > 1;
    return {
      head: ["counter", ...(parts ? ["panel"] : []), p.by || "line", "mean", "greatest", "run"],
      rows: p.lines.map((l) => [p.counters[l.c].name + " (" + p.counters[l.c].unit + ")", ...(parts ? [p.facets[l.f]] : []), p.series[l.s], format(l.means.reduce((a, b) => a + b, 0) / l.means.length), format(Math.max(...l.means)), l.run]),
    };
  }
  if (p.kind === "correlation") {
    return { head: ["point", ...(p.by ? [p.by] : []), headed(p.x_label, p.x_unit), headed(p.y_label, p.unit), "runs"], rows: p.pairs.map((v) => [v.name, ...(p.by ? [p.series[v.s]] : []), format(v.a), format(v.b), v.runs.length]) };
  }
  const parts = p.facets.length > 1, by = p.kind === "heat" ? p.y_label : p.by || (p.series.length > 1 ? "series" : ""), spread = p.values.some((v) => v.lo < v.hi);
  const head = [...(parts ? ["panel"] : []), ...(by ? [by] : []), p.edges || p.at ? headed(p.x_label, p.x_unit) : p.x_label, headed(p.kind === "heat" ? p.value : p.y_label, p.unit), ...(spread ? ["from", "to"] : []), "runs"];
  const xOf = (v) => (p.edges ? format(p.edges[v.x]) + " to " + format(p.edges[v.x + 1]) : p.x[v.x]);
  return { head, rows: p.values.map((v) => [...(parts ? [p.facets[v.f]] : []), ...(by ? [p.series[v.s]] : []), xOf(v), format(v.y), ...(spread ? [format(v.lo), format(v.hi)] : []), v.runs.length]) };
}

// commandsOf are the commands behind a plot: [what, command].
function commandsOf(p) {
  const names = [], where = [];
  for (let i = 0; i < p.flags.length; i++) {
    const name = p.flags[i], v = p.flags[i + 1];
    if (["--logx", "--logy"].includes(name)) continue;
    i++;
    if (name === "--y" && p.kind === "time") continue; // counters of a trace are no columns
    if (["--x", "--y", "--value", "--series", "--facet"].includes(name)) names.push(...v.split(" / "));
    if (["--a", "--b", "--baseline"].includes(name)) names.push(v.split(/[<>=!~]/)[0]);
    if (name === "--where") where.push("--where " + word(v));
  }
  if (!where.some((c) => /^--where '?status\b/.test(c))) where.push("--where status=ok");
  const columns = [...new Set(["id", ...names.map((n) => n.trim())])].join(",");
  // Flags do not say of which specification the runs are. Where the page has chosen runs, those that did not end well stay out.
  const several = page.specs.length > 1, chosen = page.where || [];
  const fewer = (chosen.some((c) => /^status\b/.test(c)) ? [...chosen, "status=ok"] : chosen).map((c) => " --where " + word(c)).join("");
  return [
    ["Make the runs, by the specification at the end of this page", "weft sweep " + word(p.spec) + " --out " + word(page.store)],
    several ? ["Draw the plots of the specification; this one is pictures/" + p.file + ".svg", "weft plot " + word(page.store) + " --spec " + word(p.spec) + fewer + " --out pictures"] :
      ["Draw this plot", "weft plot " + word(page.store) + " " + p.flags.map(word).join(" ") + " --out " + word(p.file + ".svg")],
    ["Print the runs behind it", "weft results " + word(page.store) + " " + where.join(" ") + " --columns " + word(columns) + " --format csv"],
    ...(p.kind === "time" ? [["Write what is kept of a run over time, which Perfetto shows, too", "weft results " + word(page.store) + " --run " + p.lines[0].run + " --attachment trace --out trace.json"]] : []),
  ];
}

// commandList shows commands, each with what it does.
function commandList(list) {
  return el("div", {}, list.map(([what, command]) => [el("p", { class: "note" }, what + ":"), code(command)]));
}

// numbersTable shows {head, rows}.
function numbersTable(c) {
  const most = 500;
  return [el("table", {}, el("thead", {}, el("tr", {}, c.head.map((h) => el("th", { scope: "col" }, h)))),
    el("tbody", {}, c.rows.slice(0, most).map((r) => el("tr", {}, r.map((v) => el("td", {}, String(v))))))),
  c.rows.length > most ? el("p", { class: "note" }, format(c.rows.length - most) + " more rows") : ""];
}

// plotCard makes the figure of a plot. explore makes a figure with other columns.
function plotCard(p, explore) {
  const box = el("div", { class: "chart", role: "img", "aria-label": p.title + ", " + (p.lines ? p.lines.length + " lines" : (p.pairs || p.values).length + " values") + "; the numbers follow" });
  const data = el("div", { class: "scroll" });
  const detail = el("details", { class: "more" }, el("summary", {}, "Numbers, and how to get them"), commandList(commandsOf(p)), data);
  detail.addEventListener("toggle", () => { if (data.childElementCount === 0) data.append(...numbersTable(numbersOf(p))); });
  let chart = null, shown = null;
  const draw = (print) => {
    if (!box.isConnected || typeof echarts === "undefined") return;
    const o = specified(p, box.clientWidth, print);
    shown = o.option.series;
    box.style.height = o.height + "px";
    if (chart === null) {
      chart = echarts.init(box, null, { renderer: "canvas" });
      chart.on("click", (e) => {
        const ids = e.data && e.data.ids || shown[e.seriesIndex] && shown[e.seriesIndex].ids; // a line over time is one run
        if (ids) showRuns(ids);
      });
    }
    chart.resize();
    chart.setOption(o.option, true);
  };
  charts.push({ draw, box, fixed: true });
  const wide = p.kind === "time" || p.facets && (p.facets.length > 1 || !p.at && !p.edges && p.x.length > 5 && p.x.some((x) => x.length > 14)) ? "wide" : undefined;
  return el("figure", { class: wide }, el("h3", {}, p.title, el("span", { class: "note" }, " " + p.from)), box, el("p", { class: "note" }, p.caption.join(" ")),
    el("div", { class: "controls" }, el("button", { type: "button", onclick: () => chart && save(p.file + ".png", pictureOf(chart, p.title, p.caption)) }, "Save as PNG"),
      p.other ? el("button", { type: "button", onclick: () => explore(p.other) }, "Choose other columns") : null), detail);
}
