// How series look: the colours and marks that "weft plot" has, which come with the page's data.

const theme = page.theme;
const light = { text: "#1d2330", soft: "#5b6474", line: "#d5d9e0", back: "#ffffff", series: theme.light };
const dark = { text: "#e6e9ef", soft: "#a5adba", line: "#3b4350", back: "#171b22", series: theme.dark };

// isDark says whether the page is dark now.
function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

const colourOf = (look, colours) => colours.series[look.color % colours.series.length];

// markOf is the marker of a series. A hollow one has the colour of the page inside, also on a dark page.
function markOf(look, colours) {
  const symbol = theme.symbols[(look.color + look.mark) % theme.symbols.length], colour = colourOf(look, colours);
  if (!symbol.startsWith("empty")) return { symbol, itemStyle: { color: colour } };
  return { symbol: symbol.slice(5).toLowerCase(), itemStyle: { color: colours.back, borderColor: colour, borderWidth: 1.5 } };
}
const dashOf = (look) => theme.dashes[(look.color + look.mark) % theme.dashes.length] || "solid";

// barOf is the filling of a bar: with stripes where one colour has several marks.
function barOf(look, colours) {
  const pattern = look.mark % theme.patterns, turns = [0, -Math.PI / 4, Math.PI / 4, 0];
  return Object.assign({ color: colourOf(look, colours), borderColor: colours.back, borderWidth: 1 },
    pattern === 0 ? {} : { decal: { symbol: "rect", color: colours.back, dashArrayX: [1, 0], dashArrayY: [2, 5], rotation: turns[pattern] } });
}

// looksOf returns the looks of series for a figure that a reader chose: parts has for each series its values of columns. The rule is
// that of plot.Palette: the colour is that of the first column in which the series differ, by the place of the value among all
// of the store.
function looksOf(columns, parts) {
  const lead = Math.max(0, columns.findIndex((c, k) => parts.some((v) => v[k] !== parts[0][k])));
  const order = page.looks[columns[lead]] || [...new Set(parts.map((v) => v[lead]))].sort((a, b) => compare(a, b, false));
  const rests = [], used = new Set();
  return parts.map((v) => {
    if (v.length === 0) return { color: 0, mark: 0 };
    const rest = JSON.stringify(v.filter((x, k) => k !== lead)), at = Math.max(0, order.indexOf(v[lead] === "(none)" ? "" : v[lead])); // as text writes no value
    if (!rests.includes(rest)) rests.push(rest);
    const look = { color: at % theme.light.length, mark: Math.floor(at / theme.light.length) + rests.indexOf(rest) };
    while (used.has(look.color + " " + look.mark)) look.mark++;
    used.add(look.color + " " + look.mark);
    return look;
  });
}

// withUnit adds a unit to a name that does not say it.
const withUnit = (name, unit) => (!unit || name === unit || name === unit + "s" ? name : name + " (" + unit + ")");

// headed is the label of an axis as the head of a table: the marks of an axis have seconds, numbers in a table have not.
const headed = (label, unit) => (unit === "s" ? label + " (s)" : label);

// labelOf is the label of a column, and unitIn its unit.
const unitIn = (name) => (page.columns[byName.get(name)] || {}).unit || "";
const labelOf = (name) => withUnit(name, unitIn(name));

// places finds where names stand beside their points: [{text, x, y}] by the middle of their left ends, null for a name that
// would cover a point or another name, or leave the box. Points are [x, y] in pixels, names {text, x, y, width}.
function places(points, names, box) {
  const high = 13, away = 7, radius = 5, taken = points.map(([x, y]) => [x - radius, y - radius, x + radius, y + radius]);
  return names.map((n) => {
    const w = n.width, corners = [[away, -high / 2], [-away - w, -high / 2], [away, away / 2], [-away - w, away / 2], [away, -away / 2 - high], [-away - w, -away / 2 - high], [-w / 2, away], [-w / 2, -away - high]];
    for (const [dx, dy] of corners) {
      const r = [n.x + dx, n.y + dy, n.x + dx + w, n.y + dy + high];
      if (r[0] < box[0] || r[1] < box[1] || r[2] > box[2] || r[3] > box[3]) continue;
      if (taken.some((t) => r[0] < t[2] && t[0] < r[2] && r[1] < t[3] && t[1] < r[3])) continue;
      taken.push(r);
      return { text: n.text, x: r[0], y: r[1] + high / 2 };
    }
    return null;
  });
}

// binAxis is an axis whose labels stand at the edges of bins, below bars on a hidden axis of categories.
function binAxis(edges, unit, width, label, index, colours) {
  const n = edges.length - 1, texts = edges.map((e) => quantity(e, unit, 3)), wide = Math.max(...texts.map((t) => t.length)) * 7 + 10;
  const every = Math.max(1, Math.ceil(wide * n / width)), at = [];
  for (let i = 0; i <= n; i += every) at.push(i);
  return {
    type: "value", gridIndex: index, position: "bottom", offset: 0, min: 0, max: n, name: label, nameLocation: "middle", nameGap: 28, nameTextStyle: { color: colours.text, width, overflow: "truncate" },
    axisLabel: { color: colours.soft, customValues: at, formatter: (i) => texts[Math.round(i)] }, axisTick: { show: true, customValues: edges.map((e, i) => i) }, splitLine: { show: false }, axisLine: { show: true, lineStyle: { color: colours.soft } },
  };
}

// hiddenBins are the categories of bins, which only place the bars.
const hiddenBins = (n, index) => ({ type: "category", gridIndex: index, data: Array.from({ length: n }, (u, i) => String(i)), axisLabel: { show: false }, axisTick: { show: false }, axisLine: { show: false } });
