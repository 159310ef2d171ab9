// Plots over simulated time: a row of panels for each counter, a column for each facet.

// timed returns what ECharts draws for a plot over time, and its height.
function timed(p, width, print) {
  const colours = isDark() && !print ? dark : light;
  const base = blank(colours);
  const selected = table.rows.length === rowCount ? null : new Set(table.rows.map((r) => named("id", r)));
  // If the page is narrow, facets stand below each other, each with all its counters.
  const across = Math.max(1, Math.min(p.facets.length, Math.floor(width / 300))), blocks = Math.ceil(p.facets.length / across);
  const names = p.series.filter((s) => s !== ""), legend = p.series.length > 1;
  const top = legend ? 42 : 14, tall = 104, head = p.facets.length > 1 ? 26 : 8, foot = 56, block = head + p.counters.length * tall + foot;
  const wide = width / across, panelOf = (c, f) => c * p.facets.length + f;
  base.legend = Object.assign(base.legend, { show: legend, data: names, formatter: (name) => p.legend[p.series.indexOf(name)] || name });
  base.tooltip = Object.assign(base.tooltip, { trigger: "axis", axisPointer: { type: "line", lineStyle: { color: colours.soft } }, formatter: (list) => tipOver(p, list) });
  base.grid = [];
  base.title = [];
  base.xAxis = [];
  base.yAxis = [];
  base.series = [];
  const marks = rounded(0, p.end, 5);
  p.counters.forEach((counter, c) => {
    const high = Math.max(...p.lines.filter((l) => l.c === c).map((l) => Math.max(...l.means))) * 1.05 || 1;
    p.facets.forEach((f, i) => {
      const at = panelOf(c, i), y = top + Math.floor(i / across) * block + head + c * tall, last = c === p.counters.length - 1;
      base.grid.push({ left: (i % across) * wide + 74, width: wide - 96, top: y, height: tall - 18 });
      if (c === 0 && p.facets.length > 1) base.title.push({ text: cut(f, Math.floor(wide / 8)), left: (i % across) * wide + 74 + (wide - 96) / 2, top: y - 22, textAlign: "center", textStyle: { color: colours.text, fontSize: 13, fontWeight: "normal" } });
      base.xAxis.push({
        type: "value", gridIndex: at, min: 0, max: p.end, name: last ? p.x_label : "", nameLocation: "middle", nameGap: 28, nameTextStyle: { color: colours.text },
        axisLabel: { show: last, color: colours.soft, hideOverlap: true, customValues: marks, formatter: (v) => quantity(v, "s") }, axisTick: { show: true, customValues: marks }, axisLine: { show: true, lineStyle: { color: colours.soft } }, splitLine: { show: false },
      });
      base.yAxis.push({
        type: "value", gridIndex: at, min: 0, max: high, name: i % across === 0 ? counter.name + "\n" + counter.unit : "", nameLocation: "middle", nameGap: 42, nameTextStyle: { color: colours.text, fontSize: 11, lineHeight: 13 },
        axisLabel: { color: colours.soft, customValues: rounded(0, high, 3), formatter: (v) => quantity(v) }, axisTick: { show: true, customValues: rounded(0, high, 3) }, axisLine: { show: true, lineStyle: { color: colours.soft } }, splitLine: { show: true, customValues: rounded(0, high, 3), lineStyle: { color: colours.line } },
      });
    });
  });
  for (const l of p.lines) {
    const look = p.looks[l.s], colour = colourOf(look, colours), each = l.end / l.means.length, data = [];
    l.means.forEach((v, k) => { // a step for each interval
      if (k > 0 && data[data.length - 1][1] === v && data.length > 1) data[data.length - 1] = [(k + 1) * each, v];
      else data.push([k * each, v], [(k + 1) * each, v]);
    });
    const alone = !p.lines.some((o) => o !== l && o.c === l.c && o.f === l.f);
    base.series.push(Object.assign({
      type: "line", name: p.series[l.s], xAxisIndex: panelOf(l.c, l.f), yAxisIndex: panelOf(l.c, l.f), data, ids: [l.run], counter: l.c, symbol: "none", triggerLineEvent: true,
      itemStyle: { color: colour }, lineStyle: { color: colour, width: [1.2, 1.8, 0.9][(look.color + look.mark) % 3], opacity: faint([l.run], selected) ? 0.15 : 1 },
    }, alone ? { areaStyle: { color: colour, opacity: 0.15 } } : {},
    l.launches ? { markArea: { silent: true, itemStyle: { color: colours.soft, opacity: 0.12 }, data: l.launches.map(([a, b]) => [{ xAxis: a }, { xAxis: b }]) } } : {}));
  }
  return { option: base, height: top + blocks * block };
}

// tipOver describes the values at a time.
function tipOver(p, list) {
  if (list.length === 0) return "";
  const counter = p.counters[Math.floor(list[0].axisIndex / p.facets.length)], facet = p.facets[list[0].axisIndex % p.facets.length];
  return tip([quantity(list[0].axisValue, "s", 4) + (facet ? ", " + facet : ""), ...list.map((v) => (v.seriesName && p.series.length > 1 ? v.seriesName + ": " : "") + format(v.value[1]) + " " + counter.unit), "click a line for its run"]);
}
