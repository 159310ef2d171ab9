// The data of the page, and small helpers. Texts of the data only ever become text nodes.

const page = JSON.parse(document.getElementById("data").textContent);
const rowCount = page.runs;
const byName = new Map(page.columns.map((c, i) => [c.name, i]));

// isNumber says whether a column has numbers.
const isNumber = page.columns.map((c) => c.numbers !== undefined || typeof c.same === "number");

// value returns the value of a run in a column: a number, a text, or null.
function value(column, row) {
  const c = page.columns[column];
  if (c.same !== undefined) return c.same;
  if (c.numbers) return c.numbers[row];
  const i = c.index[row];
  return i < 0 ? null : c.texts[i];
}

// named returns the value of a run in a column that may not exist.
function named(name, row) {
  const i = byName.get(name);
  return i === undefined ? null : value(i, row);
}

// rowOf returns the row of a run by its id.
const rowOf = (() => {
  const rows = new Map();
  for (let r = 0; r < rowCount; r++) rows.set(named("id", r), r);
  return (id) => rows.get(id);
})();

// format writes a number for people.
function format(x) {
  if (typeof x !== "number") return x === null ? "" : String(x);
  if (Number.isInteger(x) && Math.abs(x) < 1e15) return x.toLocaleString("en-US");
  const a = Math.abs(x);
  if (a >= 1e6 || a < 1e-3) return x.toExponential(3);
  return a >= 1000 ? x.toLocaleString("en-US", { maximumFractionDigits: 1 }) : String(Number(x.toPrecision(4)));
}

// cell writes a value of a column. Numbers that name something, such as seeds, have no commas.
function cell(column, row) {
  const v = value(column, row);
  return typeof v === "number" && page.columns[column].kind !== "metric" ? String(v) : format(v);
}

// unitOf returns the unit of a column in parentheses, or "".
const unitOf = (c) => (c.unit ? " (" + c.unit + ")" : "");

// el makes an element: el("p", {class: "x", onclick: f}, "text", child...).
function el(tag, attributes, ...children) {
  const e = document.createElement(tag);
  for (const [k, v] of Object.entries(attributes || {})) {
    if (k.startsWith("on")) e.addEventListener(k.slice(2), v);
    else if (k in { value: 1, checked: 1, disabled: 1, hidden: 1, open: 1, selected: 1 }) e[k] = v;
    else if (v !== undefined && v !== null) e.setAttribute(k, v);
  }
  for (const c of children.flat(Infinity)) if (c !== null && c !== undefined) e.append(c);
  return e;
}

// say tells a screen reader something.
function say(text) {
  document.getElementById("said").textContent = text;
}

// code shows a command or a text with a button that copies it.
function code(text, block) {
  const button = el("button", { type: "button", class: "copy", "aria-label": "Copy: " + text.slice(0, 80) }, "Copy");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text);
    } catch { // a page from a file may not use the clipboard
      const area = el("textarea", { class: "hidden-text" });
      area.value = text;
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
      button.focus();
    }
    button.textContent = "Copied";
    say("Copied");
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
  return el("div", { class: "command" }, el(block ? "pre" : "code", {}, text), button);
}

// word writes a word of a command line as a shell takes it.
function word(text) {
  return /^[\w./:=,@%+-]+$/.test(text) ? text : "'" + text.replaceAll("'", "'\\''") + "'";
}

// select makes a choice: options are [value, text].
function select(label, options, chosen, changed) {
  const s = el("select", { onchange: () => changed(s.value) }, options.map(([v, text]) => el("option", { value: v, selected: v === chosen }, text)));
  return el("label", {}, label + " ", s);
}

// section adds a section with a heading, and a link to it at the top.
function section(id, title, ...children) {
  document.getElementById("nav").append(el("a", { href: "#" + id }, title));
  const s = el("section", { id, "aria-labelledby": id + "-title" }, el("h2", { id: id + "-title" }, title), children);
  document.getElementById("main").append(s);
  return s;
}

// hangCards and profileCards are the parts of the page on a run that hangs, and on the source of one, by its id.
const hangCards = new Map(), profileCards = new Map();

// goTo opens a part of the page and goes there.
function goTo(card) {
  const dialog = document.getElementById("run");
  if (dialog) dialog.close();
  card.open = true;
  card.scrollIntoView();
  card.querySelector("summary").focus({ preventScroll: true });
}

// saved is what the reader chose; a page from a file may not be allowed to keep it.
const saved = {
  get(key) {
    try { return localStorage.getItem("weft-report-" + key); } catch { return null; }
  },
  set(key, v) {
    try { localStorage.setItem("weft-report-" + key, v); } catch { /* then it is not kept */ }
  },
};
