// The other sections: the head, one run, failures, machines, specifications.

// nameOf names a run.
function nameOf(row) {
  const parts = [named("algorithm", row) || named("kernel", row)];
  if (named("scheduler", row)) parts.push("by " + named("scheduler", row));
  if (named("graph", row)) parts.push("on " + named("graph", row));
  const settings = page.columns.map((c, i) => i).filter((i) => page.columns[i].kind === "setting" && page.columns[i].same === undefined && value(i, row) !== null)
    .map((i) => page.columns[i].name + "=" + cell(i, row));
  return "run " + named("id", row) + ": " + parts.filter((p) => p).join(" ") + (settings.length > 0 ? ", " + settings.join(", ") : "");
}

// runLink opens a run.
function runLink(row) {
  return el("button", { type: "button", class: "link", onclick: () => showRun(row) }, "Everything about run " + named("id", row));
}

// pairs is a table of names and values.
function pairs(list) {
  return el("table", { class: "pairs" }, el("tbody", {}, list.map(([name, v, more, title]) => el("tr", {}, el("th", { scope: "row", title: title || undefined }, name), el("td", {}, v), more === undefined ? null : el("td", { class: "unit" }, more)))));
}

// showRun opens a window with all that is known of a run.
function showRun(row) {
  const old = document.getElementById("run");
  if (old) old.remove();
  const of = (kind) => page.columns.map((c, i) => i).filter((i) => page.columns[i].kind === kind && value(i, row) !== null);
  const line = (i) => [page.columns[i].name, cell(i, row), page.columns[i].unit || "", page.columns[i].meaning];
  const machine = (page.machines || []).find((m) => m.hash === named("machine", row));
  const d = el("dialog", { id: "run", "aria-labelledby": "run-title" },
    el("form", { method: "dialog" }, el("button", { "aria-label": "Close" }, "Close")),
    el("h2", { id: "run-title" }, nameOf(row)),
    named("error", row) ? el("pre", { class: "report" }, named("error", row)) : null,
    hangCards.has(named("id", row)) ? el("p", {}, el("button", { type: "button", class: "link", onclick: () => goTo(hangCards.get(named("id", row))) }, "Who waits for whom")) : null,
    profileCards.has(named("id", row)) ? el("p", {}, el("button", { type: "button", class: "link", onclick: () => goTo(profileCards.get(named("id", row))) }, "Its source, with the cost of each line")) : null,
    el("h3", {}, "Run it again"), code(named("command", row) || ""),
    el("h3", {}, "Where the time goes"), code((named("command", row) || "").replace(/^weft run /, "weft annotate ").replace(/^(weft launch .*)$/, "$1 --annotate")),
    machine && machine.changed.length > 0 ? [el("h3", {}, "Differs from " + machine.preset), changes(machine)] : null,
    el("h3", {}, "Run"), pairs(of("run").filter((i) => !["error", "command"].includes(page.columns[i].name)).map(line)),
    of("setting").length > 0 ? [el("h3", {}, "Settings"), pairs(of("setting").map((i) => [page.columns[i].name, cell(i, row), page.columns[i].unit || ""]))] : null,
    el("h3", {}, "Metrics"), pairs(of("metric").map(line)));
  document.body.append(d);
  d.addEventListener("click", (e) => { if (e.target === d) d.close(); });
  d.showModal();
}

// showRuns opens a window with the runs of a value: with the only one, or with a list.
function showRuns(ids) {
  const rows = ids.map(rowOf).filter((r) => r !== undefined), most = 200;
  if (rows.length === 1) showRun(rows[0]);
  if (rows.length < 2) return;
  const old = document.getElementById("run");
  if (old) old.remove();
  const d = el("dialog", { id: "run", "aria-labelledby": "run-title" },
    el("form", { method: "dialog" }, el("button", { "aria-label": "Close" }, "Close")), el("h2", { id: "run-title" }, format(rows.length) + " runs"),
    el("ul", {}, rows.slice(0, most).map((r) => el("li", {}, el("button", { type: "button", class: "link", onclick: () => showRun(r) }, nameOf(r))))),
    rows.length > most ? el("p", { class: "note" }, format(rows.length - most) + " more") : null);
  document.body.append(d);
  d.addEventListener("click", (e) => { if (e.target === d) d.close(); });
  d.showModal();
}

// changes is a table of parameters that differ from a preset.
function changes(m) {
  return el("table", {}, el("thead", {}, el("tr", {}, ["parameter", "here", m.preset].map((h) => el("th", { scope: "col" }, h)))),
    el("tbody", {}, m.changed.map((p) => el("tr", {}, el("th", { scope: "row" }, p.name), el("td", { class: "number" }, p.value), el("td", { class: "number" }, p.preset)))));
}

function headSection() {
  document.getElementById("title").textContent = page.title;
  document.getElementById("doc").textContent = page.doc || "";
  const counts = new Map();
  for (let r = 0; r < rowCount; r++) counts.set(named("status", r), (counts.get(named("status", r)) || 0) + 1);
  const tiles = inOrder(counts.keys()).map((s) => el("span", { class: "tile" }, el("b", {}, format(counts.get(s))), " ", el("span", { class: "status " + statusClass(s) }, s)));
  const list = (name, values) => (values && values.length > 0 ? el("span", { class: "tile" }, name + " ", el("b", {}, cut(values.slice(0, 3).join(", "), 60) + (values.length > 3 ? " and " + (values.length - 3) + " more" : ""))) : null);
  document.getElementById("facts").append(...[
    el("span", { class: "tile" }, el("b", {}, format(rowCount)), rowCount === 1 ? " run" : " runs"), ...tiles,
    list("on", page.devices), list("version", page.versions), list("host", page.hosts),
    el("span", { class: "tile" }, "from ", el("b", {}, page.first), " to ", el("b", {}, page.last), " UTC"),
    page.where && page.where.length > 0 ? list("where", page.where) : null,
  ].filter((x) => x));
  if (page.notes && page.notes.length > 0) document.getElementById("facts").after(el("div", { class: "card warn" }, page.notes.map((n) => el("p", {}, n))));
}

function failuresSection() {
  const by = new Map();
  for (let r = 0; r < rowCount; r++) {
    const status = named("status", r);
    if (status === "ok") continue;
    // A report of a hang is long and has its own section; runs with the same first line belong together.
    const key = status + "\n" + (named("error", r) || "").split("\n")[0];
    if (!by.has(key)) by.set(key, []);
    by.get(key).push(r);
  }
  if (by.size === 0) return;
  const most = 20;
  section("failures", "Failures", [...by.values()].sort((a, b) => b.length - a.length).map((rows) => {
    const error = named("error", rows[0]) || "", status = named("status", rows[0]);
    return el("details", { class: "card" }, el("summary", {}, el("span", { class: "status " + statusClass(status) }, status), " " + format(rows.length) + (rows.length === 1 ? " run: " : " runs: ") + cut(error.split("\n")[0], 160)),
      el("pre", { class: "report" }, error), rows.slice(0, most).map((r) => el("div", {}, el("p", {}, nameOf(r) + " ", runLink(r)), code(named("command", r) || ""))),
      rows.length > most ? el("p", { class: "note" }, format(rows.length - most) + " more; filter the table by status") : null);
  }));
}

function machinesSection() {
  if (!page.machines || page.machines.length === 0) return;
  section("machines", "Machines", page.machines.map((m) => {
    const names = m.changed.length === 0 ? (m.preset ? "as it comes" : "") : m.changed.map((p) => p.name + "=" + p.value).join(", ");
    const box = el("details", { class: "card" }, el("summary", {}, m.devices.join(", ") + " " + m.hash + ", " + format(m.runs) + (m.runs === 1 ? " run" : " runs") + (names ? ": " + cut(names, 120) : "")),
      m.preset ? el("p", { class: "note" }, "Compared with " + m.preset + " as the weft that wrote this page has it.") : null,
      m.changed.length > 0 ? changes(m) : null,
      el("details", { class: "more" }, el("summary", {}, "All parameters"), pairs(Object.entries(m.parameters).sort((a, b) => (a[0] < b[0] ? -1 : 1)))));
    return box;
  }));
}

function specsSection() {
  const all = "weft report " + word(page.store) + (page.where || []).map((c) => " --where " + word(c)).join("") + " -o report.html";
  section("again", "How to get all this again",
    el("p", {}, "The specifications of the studies, and the page itself. Each figure and each run has its own command."),
    (page.specs || []).map((s) => el("details", { class: "card" }, el("summary", {}, s.name), 
      el("p", { class: "note" }, "Make the runs:"), code("weft sweep " + word(s.file) + " --out " + word(page.store)),
      (page.plots || []).some((p) => p.spec === s.file) ? [el("p", { class: "note" }, "Draw its plots:"), code("weft plot " + word(page.store) + " --spec " + word(s.file) + " --out pictures")] : null,
      el("p", { class: "note" }, "The specification " + s.file + ": ", el("button", { type: "button", onclick: () => save(s.file, "data:text/yaml;charset=utf-8," + encodeURIComponent(s.text)) }, "Save")), code(s.text, true))),
    el("p", { class: "note" }, "Write this page:"),
    code(all));
}
