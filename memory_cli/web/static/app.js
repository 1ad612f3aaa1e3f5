// Where the page starts: what the address names is shown, and keys do what they say.

import { get } from "./api.js";
import { $, current, el, fill, toast, words } from "./dom.js";
import * as filters from "./filters.js";
import * as graph from "./graph.js";
import * as history from "./history.js";
import * as list from "./list.js";
import * as statement from "./statement.js";
import * as views from "./views.js";

const PAGES = {
  handoff: (place) => views.handoff(place, written),
  graph: (place) => graph.draw(place),
  history: (place) => history.draw(place, written),
  markdown: (place) => views.markdown(place, overview),
  health: (place) => views.health(place),
};
// So many are embedded by the next recall.
const FEW = 64;
let overview = null;
let shown = "";

async function refresh() {
  overview = await get("overview");
  filters.draw(overview);
  const { status } = overview;
  const name = status.project.split(/[\\/]/).filter(Boolean).pop();
  $("project").textContent = name ?? "no project here";
  $("project").title = status.project || status.project_why;
  document.title = name ? `${name} · memory` : "memory";
  $("ailing").hidden = status.semantic_available !== false && status.units_pending <= FEW;
  $("ailing").title = (status.notes ?? []).join(" ");
}

async function written() {
  await Promise.all([refresh(), list.load({ keepFocus: true })]);
}

async function show() {
  const [, view = "", ...rest] = location.hash.split("/");
  shown = location.hash;
  const page = PAGES[view];
  document.body.dataset.view = page ? "page" : view === "s" || view === "new" ? "detail" : "list";
  for (const each of document.querySelectorAll("nav a")) current(each, each.dataset.view === (page ? view : "statements"));
  list.mark(location.hash);
  if (page) {
    const place = within("page");
    await page(place);
    place.focus({ preventScroll: true });
  } else if (view === "s") {
    const place = within("detail");
    await statement.open(place, rest[0], decodeURIComponent(rest[1] ?? ""));
    // Where one reads on; Esc leads back to the list.
    place.focus({ preventScroll: true });
  } else if (view === "new") {
    statement.fresh(within("detail"), overview);
  } else {
    fill($("detail"), el("div", { class: "nothing" }, hints()));
  }
}

// What answers late, when something else was opened meanwhile, writes into what is no longer shown.
function within(id) {
  const place = el("div", { tabindex: "-1" });
  fill($(id), place).scrollTop = 0;
  return place;
}

function hints() {
  const keys = [["/", "search"], ["↑ ↓", "walk through the list"], ["Enter", "open"], ["n", "new"], ["e", "edit"], ["Ctrl Enter", "save"], ["Esc", "back"]];
  return el("dl", { class: "keys" }, keys.flatMap(([key, name]) => [el("dt", {}, el("kbd", {}, key)), el("dd", {}, name)]));
}

function go() {
  if (shown !== location.hash && !statement.mayLeave()) {
    window.history.replaceState(null, "", shown);
    return;
  }
  show().catch(fail);
}

function fail(error) {
  if (error.status === 401 || error.status === 0) fill($("notes"), words(error.message));
  toast(error.message);
}

function walk(by) {
  const all = list.items();
  const here = all.indexOf(document.activeElement);
  const current = all.findIndex((each) => each.hasAttribute("aria-current"));
  const next = all[Math.min(all.length - 1, Math.max(0, (here >= 0 ? here : current) + by))];
  if (here === 0 && by < 0) return $("query").focus();
  next?.focus();
}

function escape() {
  const active = document.activeElement;
  const cancel = document.querySelector(".sheet [data-act=cancel]");
  if (document.body.classList.contains("filtering")) return toggleFilters(false);
  if (cancel) return cancel.click();
  if (active === $("query")) {
    if (active.value) {
      active.value = "";
      return list.search();
    }
    return active.blur();
  }
  if (location.hash.length > 2) {
    const open = location.hash;
    location.hash = "#/";
    list.items().find((each) => each.getAttribute("href") === open)?.focus();
  }
}

function toggleFilters(on = !document.body.classList.contains("filtering")) {
  document.body.classList.toggle("filtering", on);
  $("more-filters").setAttribute("aria-expanded", String(on));
  $("more-filters").textContent = on ? "Done" : "Filters";
  (on ? $("filters").querySelector("button, input") : $("more-filters"))?.focus();
}

const KEYS = {
  "/": () => $("query").focus(),
  n: () => (location.hash = "#/new"),
  e: () => document.querySelector(".sheet [data-act=edit]")?.click(),
  ArrowDown: () => walk(1),
  ArrowUp: () => walk(-1),
  j: () => walk(1),
  k: () => walk(-1),
};

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape") return escape();
  const inField = event.target.matches("input, textarea, select");
  const fromQuery = event.target === $("query") && event.key === "ArrowDown";
  if (inField && !fromQuery) return;
  const reading = event.key.startsWith("Arrow") && event.target.closest("#detail, #page, #filters");
  if (KEYS[event.key] && !reading) {
    event.preventDefault();
    KEYS[event.key]();
  }
});
$("query").addEventListener("input", () => {
  const hidesList = PAGES[location.hash.split("/")[1]] || matchMedia("(max-width: 48rem)").matches;
  if (hidesList && location.hash.length > 2 && !statement.isEditing()) location.hash = "#/";
  list.searchSoon();
});
$("query").addEventListener("keydown", (event) => event.key === "Enter" && list.search());
$("more-filters").addEventListener("click", () => toggleFilters());
addEventListener("hashchange", go);
addEventListener("beforeunload", (event) => statement.isEditing() && event.preventDefault());
filters.whenChanged(() => list.search());
statement.whenWritten(written);

try {
  await refresh();
  await Promise.all([list.search(), show()]);
} catch (error) {
  fail(error);
}
