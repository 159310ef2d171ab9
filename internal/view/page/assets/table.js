// The table of runs: filters, order, columns, pages.

const pageSize = 50;

const table = {
  columns: page.shown.slice(),
  order: { column: null, down: false },
  text: "",
  ranges: new Map(), // by column: {low, high}, or {part} for texts
  rows: [],          // that the filters select, in order
  first: 0,          // row of the shown page
  listeners: [],     // called when rows change
};

// haystacks are the texts of the rows that the filter searches, made when needed.
let haystacks = null;
function haystack(row) {
  if (haystacks === null) {
    const searched = page.columns.map((c, i) => i).filter((i) => page.columns[i].kind !== "metric");
    haystacks = [];
    for (let r = 0; r < rowCount; r++) {
      haystacks.push(searched.map((i) => { const v = value(i, r); return v === null ? "" : String(v); }).join("\n").toLowerCase());
    }
  }
  return haystacks[row];
}

// compare orders two values; null comes last in both directions.
function compare(a, b, down) {
  if (a === b) return 0;
  if (a === null) return 1;
  if (b === null) return -1;
  const n = typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en", { numeric: true });
  return down ? -n : n;
}

// update computes the rows anew.
table.update = function () {
  const words = table.text.toLowerCase().split(/\s+/).filter((w) => w !== "");
  const rows = [];
  for (let r = 0; r < rowCount; r++) {
    if (words.length > 0 && !words.every((w) => haystack(r).includes(w))) continue;
    let keep = true;
    for (const [column, f] of table.ranges) {
      const v = value(column, r);
      if (f.part !== undefined) keep = v !== null && String(v).toLowerCase().includes(f.part.toLowerCase());
      else keep = v !== null && (f.low === null || v >= f.low) && (f.high === null || v <= f.high);
      if (!keep) break;
    }
    if (keep) rows.push(r);
  }
  const { column, down } = table.order;
  if (column !== null) rows.sort((a, b) => compare(value(column, a), value(column, b), down) || a - b);
  table.rows = rows;
  table.first = 0;
  for (const f of table.listeners) f();
};

// drawHead draws names, units and filters of the columns.
function drawHead(head) {
  const names = el("tr"), filters = el("tr", { class: "filters" });
  for (const i of table.columns) {
    const c = page.columns[i];
    const sorted = table.order.column === i;
    const th = el("th", { scope: "col", class: isNumber[i] ? "number" : "", "aria-sort": sorted ? (table.order.down ? "descending" : "ascending") : "none" },
      el("button", {
        type: "button", title: (c.meaning || c.name) + unitOf(c),
        onclick: () => {
          table.order = { column: i, down: sorted ? !table.order.down : false };
          table.update();
          drawHead(head);
          head.querySelectorAll("th button")[table.columns.indexOf(i)].focus();
        },
      }, c.name, el("span", { class: "arrow", "aria-hidden": "true" }, sorted ? (table.order.down ? " ▼" : " ▲") : "")),
      c.unit ? el("div", { class: "unit" }, c.unit) : null);
    names.append(th);
    filters.append(el("td", {}, c.same === undefined && c.name !== "id" ? filterOf(i) : null));
  }
  head.replaceChildren(names, filters);
}

// filterOf returns the inputs that filter a column.
function filterOf(i) {
  const c = page.columns[i];
  const f = table.ranges.get(i) || {};
  if (!isNumber[i]) {
    return el("input", {
      type: "search", value: f.part || "", placeholder: "contains", "aria-label": c.name + " contains", "data-column": c.name,
      oninput: (e) => { setRange(i, e.target.value === "" ? null : { part: e.target.value }); },
    });
  }
  const input = (end, text) => el("input", {
    type: "number", step: "any", value: f[end] === undefined || f[end] === null ? "" : f[end], placeholder: text, "aria-label": c.name + " " + text, "data-column": c.name, "data-end": end,
    oninput: (e) => {
      const now = Object.assign({ low: null, high: null }, table.ranges.get(i));
      now[end] = e.target.value === "" ? null : Number(e.target.value);
      setRange(i, now.low === null && now.high === null ? null : now);
    },
  });
  return el("div", { class: "range" }, input("low", "from"), input("high", "to"));
}

function setRange(column, f) {
  if (f === null) table.ranges.delete(column);
  else table.ranges.set(column, f);
  table.update();
}

// drawBody draws one page of rows.
function drawBody(body) {
  const rows = table.rows.slice(table.first, table.first + pageSize);
  body.replaceChildren(...rows.map((r) => {
    const tr = el("tr", { "data-run": named("id", r) });
    for (const i of table.columns) {
      const c = page.columns[i];
      const text = cell(i, r);
      let content = text;
      if (c.name === "id") content = el("button", { type: "button", class: "link", "aria-label": "Run " + text, onclick: () => showRun(r) }, text);
      else if (c.name === "status") content = statusCell(r, text);
      tr.append(el("td", { class: isNumber[i] ? "number" : c.name === "status" ? "" : "text", title: text.length > 40 ? text : undefined }, content));
    }
    return tr;
  }));
  if (rows.length === 0) body.replaceChildren(el("tr", {}, el("td", { colspan: table.columns.length }, "No run passes the filters.")));
}

// statusCell shows a status, with links to what the page has of the run further down.
function statusCell(row, text) {
  const id = named("id", row), mark = el("span", { class: "status " + statusClass(text) }, text), link = (card, what) => el("button", { type: "button", class: "link", "aria-label": what + " of run " + id, onclick: () => goTo(card) }, what);
  return [mark, hangCards.has(id) ? [" ", link(hangCards.get(id), "report")] : null, profileCards.has(id) ? [" ", link(profileCards.get(id), "source")] : null].flat().filter((x) => x);
}

// statusClass is a class of the style, whatever the status is called.
const statusClass = (s) => (["ok", "wrong", "hang", "undecided", "failed"].includes(s) ? "is-" + s : "");

// chooser is the list of columns with boxes to tick, and a field that searches it.
function chooser(changed) {
  const list = el("div", { class: "choices" });
  const draw = (part) => {
    const shown = page.columns.map((c, i) => i).filter((i) => page.columns[i].name.toLowerCase().includes(part.toLowerCase()));
    list.replaceChildren(...shown.map((i) => {
      const c = page.columns[i];
      const box = el("input", {
        type: "checkbox", checked: table.columns.includes(i), onchange: () => {
          table.columns = box.checked ? [...table.columns, i].sort((a, b) => a - b) : table.columns.filter((k) => k !== i);
          changed();
        },
      });
      return el("label", { title: c.meaning || "" }, box, " " + c.name, c.unit ? el("span", { class: "unit" }, " " + c.unit) : null);
    }));
  };
  draw("");
  return el("details", { class: "chooser" }, el("summary", {}, "Columns"),
    el("input", { type: "search", placeholder: "search columns", "aria-label": "Search columns", oninput: (e) => draw(e.target.value) }), list);
}

// csv returns the selected rows and the shown columns as CSV.
function csv() {
  const quote = (v) => { const s = v === null ? "" : String(v); return /[",\r\n]/.test(s) ? '"' + s.replaceAll('"', '""') + '"' : s; };
  const lines = [table.columns.map((i) => quote(page.columns[i].name)).join(",")];
  for (const r of table.rows) lines.push(table.columns.map((i) => quote(value(i, r))).join(","));
  return lines.join("\r\n") + "\r\n";
}

// save gives the reader a file.
function save(name, url) {
  el("a", { href: url, download: name }).click();
}

// runsSection adds the section with the table.
function runsSection() {
  const head = el("thead"), body = el("tbody"), count = el("span", { id: "count", role: "status" });
  const turn = (by) => { table.first = Math.min(Math.max(table.first + by, 0), Math.max(0, Math.floor((table.rows.length - 1) / pageSize) * pageSize)); draw(); };
  const buttons = [[-1e9, "First"], [-pageSize, "Previous"], [pageSize, "Next"], [1e9, "Last"]]
    .map(([by, text]) => el("button", { type: "button", "aria-label": text + " page", onclick: () => turn(by) }, text));
  const draw = () => {
    const n = table.rows.length, last = Math.min(table.first + pageSize, n);
    count.textContent = n === 0 ? "no runs" : (table.first + 1) + " to " + last + " of " + format(n) + (n === rowCount ? " runs" : " selected runs, " + format(rowCount) + " in all");
    buttons[0].disabled = buttons[1].disabled = table.first === 0;
    buttons[2].disabled = buttons[3].disabled = last === n;
    drawBody(body);
  };
  const search = el("input", { type: "search", id: "filter", placeholder: "such as: bfs warp", oninput: (e) => { table.text = e.target.value; table.update(); } });
  const columns = () => { drawHead(head); draw(); };
  const clear = el("button", {
    type: "button", onclick: () => { table.text = search.value = ""; table.ranges.clear(); table.update(); drawHead(head); },
  }, "Clear filters");
  section("runs", "Runs",
    el("div", { class: "controls" }, el("label", {}, "Filter ", search), clear, chooser(columns),
      el("button", { type: "button", onclick: () => save("runs.csv", "data:text/csv;charset=utf-8," + encodeURIComponent(csv())) }, "Save as CSV")),
    el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Table of runs" }, el("table", { id: "table" }, head, body)),
    el("div", { class: "controls pages" }, buttons, count));
  table.listeners.push(draw);
  drawHead(head);
}
