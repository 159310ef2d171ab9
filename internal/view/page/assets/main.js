// Puts the page together.

// unpack returns the text of a script that is in the page compressed.
async function unpack(id) {
  const bytes = Uint8Array.from(atob(document.getElementById(id).textContent), (c) => c.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
}

// themes: as the system says, light, dark.
function themeButton() {
  const button = document.getElementById("theme"), names = { "": "Theme: system", light: "Theme: light", dark: "Theme: dark" };
  const show = (t) => {
    if (t) document.documentElement.dataset.theme = t;
    else delete document.documentElement.dataset.theme;
    button.textContent = names[t];
    redraw();
  };
  button.addEventListener("click", () => {
    const now = document.documentElement.dataset.theme || "", next = { "": "light", light: "dark", dark: "" }[now];
    saved.set("theme", next);
    show(next);
  });
  const t = saved.get("theme");
  show(t === "light" || t === "dark" ? t : "");
}

headSection();
figuresSection();
runsSection(); // which is filled when the other sections are there
failuresSection();
hangsSection();
profilesSection();
machinesSection();
specsSection();
themeButton();
table.update();

unpack("library").then((text) => {
  const script = document.createElement("script");
  script.textContent = text; // its hash is in the page's policy
  document.head.append(script);
  redraw();
  document.documentElement.dataset.ready = "yes";
}).catch((e) => {
  for (const c of charts) c.box.textContent = "This browser cannot draw the figures: " + e;
  document.documentElement.dataset.ready = "without figures";
});
