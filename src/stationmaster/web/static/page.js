// All that pages do with a script; every one of them works without it.

// Copy a value that is shown once, or a command. Without this it can still be selected.
function offerCopies() {
  for (const button of document.querySelectorAll("[data-copy]")) {
    const field = document.getElementById(button.dataset.copy);
    const status = document.querySelector(`[data-copied-by="${button.dataset.copy}"]`);
    const isInput = "value" in field;
    const select = () =>
      isInput ? field.select() : getSelection().selectAllChildren(field);
    button.hidden = false;
    if (isInput && field.autofocus) select();
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(isInput ? field.value : field.textContent);
        status.textContent = "Copied.";
      } catch {
        select();
        status.textContent = "Press Ctrl+C or ⌘C to copy.";
      }
    });
  }
}

// A changed filter is applied immediately: the part of the page that depends on it is exchanged.
let latest = 0;
async function show(address, { isNew }) {
  const mine = ++latest;
  const content = document.getElementById("content");
  content.setAttribute("aria-busy", "true");
  const answer = await fetch(address, { headers: { Accept: "text/html" } }).catch(() => null);
  if (mine !== latest) return;
  if (!answer?.ok || answer.redirected) {
    location.assign(address);
    return;
  }
  const next = new DOMParser().parseFromString(await answer.text(), "text/html");
  const focused = document.activeElement?.name;
  content.replaceChildren(...next.getElementById("content").childNodes);
  content.removeAttribute("aria-busy");
  document.title = next.title;
  if (isNew) history.pushState(null, "", address);
  if (focused) content.querySelector(`.filters [name="${focused}"]`)?.focus();
  enhance();
}

function applyFilters() {
  for (const form of document.querySelectorAll("form.filters")) {
    const apply = () => {
      const fields = new FormData(form);
      for (const [name, value] of [...fields]) if (value === "") fields.delete(name);
      const query = new URLSearchParams(fields).toString();
      show(form.getAttribute("action") + (query && `?${query}`), { isNew: true });
    };
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      apply();
    });
    form.addEventListener("change", (event) => {
      // A search is typed to its end, and a date may be half written.
      if (event.target.validity.valid && event.target.type !== "search") apply();
    });
  }
}
addEventListener("popstate", () => show(location.href, { isNew: false }));

// The numbers of the day under the pointer, taken from the table next to the chart.
function offerTips() {
  for (const figure of document.querySelectorAll("[data-chart]")) {
    const frame = figure.querySelector(".frame");
    const plot = frame.querySelector(".plot");
    const heads = [...figure.querySelectorAll(".numbers thead th")].map((cell) => cell.textContent);
    const rows = [...figure.querySelectorAll(".numbers tbody tr")];
    if (!rows.length) continue;
    const tip = document.createElement("div");
    tip.className = "tip";
    tip.hidden = true;
    frame.append(tip);
    plot.addEventListener("pointermove", (event) => {
      const box = plot.getBoundingClientRect();
      const share = (event.clientX - box.left) / box.width;
      const row = rows[Math.min(rows.length - 1, Math.max(0, Math.floor(share * rows.length)))];
      tip.replaceChildren(
        ...[...row.cells].map((cell, place) => {
          const line = document.createElement("div");
          line.textContent = place ? `${heads[place]}: ${cell.textContent}` : cell.textContent;
          return line;
        }),
      );
      tip.hidden = false;
      const left = event.clientX - frame.getBoundingClientRect().left;
      const room = frame.clientWidth - tip.offsetWidth;
      tip.style.left = `${Math.max(0, Math.min(left + 16, room))}px`;
    });
    plot.addEventListener("pointerleave", () => (tip.hidden = true));
  }
}

// “/” focuses the search, from anywhere but a field.
addEventListener("keydown", (event) => {
  const isTyping = event.target.closest?.("input, select, textarea, [contenteditable]");
  if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  const field = document.querySelector("[data-search]");
  if (!field) return;
  event.preventDefault();
  field.focus();
  field.select();
});

// A part that waits for something looks again by itself, until the page is left or hidden.
setInterval(async () => {
  for (const part of document.querySelectorAll("[data-refresh]")) {
    if (document.hidden) continue;
    const answer = await fetch(location.href, { headers: { Accept: "text/html" } }).catch(() => null);
    if (!answer?.ok || answer.redirected) continue;
    const next = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = next.getElementById(part.id);
    if (fresh && fresh.innerHTML !== part.innerHTML) part.replaceChildren(...fresh.childNodes);
  }
}, 4000);

// A session of an agent: what happens is added as it happens, from a stream that a ticket opens.
function part(name, text, className = "") {
  const made = document.createElement(name);
  made.textContent = text;
  made.className = className;
  return made;
}

function permissionForm(path, update) {
  const form = document.createElement("form");
  form.method = "post";
  form.action = `${path}/permissions/${encodeURIComponent(update.id)}`;
  for (const option of [...(update.options ?? []), { id: "", name: "Refuse" }]) {
    const button = part("button", option.name, option.id ? "" : "quiet");
    button.name = "option";
    button.value = option.id;
    form.append(button);
  }
  return form;
}

function addUpdate(list, update) {
  const { kind, text = "", title = "", status = "", id = "" } = update;
  list.dataset.after = update.seq;
  if (kind === "state") document.getElementById("state").textContent = status;
  const isOver = kind === "turn" || status === "ended";
  const which = kind === "decision" ? `[data-permission="${CSS.escape(id)}"] form` : "form";
  if (isOver || kind === "decision") list.querySelectorAll(which).forEach((form) => form.remove());
  if (kind === "state" && status === "ended") location.reload();
  if (kind === "state" || kind === "turn") return;
  const last = list.lastElementChild;
  if ((kind === "message" || kind === "thought") && last?.className === kind) {
    last.querySelector(".said").textContent += text;
    return;
  }
  const item = part("li", "", kind);
  if (kind === "tool") item.append(part("span", status.replaceAll("_", " "), "quiet"), ` ${title || id}`);
  else if (kind === "permission") {
    item.dataset.permission = id;
    item.append(part("b", title), part("pre", text), permissionForm(list.dataset.session, update));
  } else item.append(part("span", text, "said"));
  list.append(item);
}

async function follow(list) {
  const path = list.dataset.session;
  const issued = await fetch(`${path}/ticket`, { method: "POST" });
  if (!issued.ok || issued.redirected) throw new Error("refused");
  const { ticket } = await issued.json();
  const body = new URLSearchParams({ ticket, after: list.dataset.after });
  const answer = await fetch(`${path}/updates`, { method: "POST", body });
  if (!answer.ok || answer.redirected) throw new Error("refused");
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let rest = ""; ; ) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    for (const line of lines) if (line) addUpdate(list, JSON.parse(line));
  }
}

async function followSession() {
  const list = document.querySelector("[data-session]");
  for (let waits = 1; list && !("ended" in list.dataset); waits = Math.min(waits * 2, 30)) {
    const began = Date.now();
    await follow(list).catch(() => null);
    if (Date.now() - began > 60000) waits = 1;
    await new Promise((resolve) => setTimeout(resolve, waits * 1000));
  }
}
followSession();

function enhance() {
  offerCopies();
  applyFilters();
  offerTips();
}
enhance();
