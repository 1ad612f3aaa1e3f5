// What narrows the list: scope, kinds, agents, tags, time, order.

import { $, el, fill, kindOf, words } from "./dom.js";

export const chosen = { scope: "", kind: [], agent: [], tag: [], since: "", until: "", expired: "", sort: "newest" };

const SHOWN = 9;
const TIMES = [["", "Any time"], ["1d", "Last day"], ["7d", "Last 7 days"], ["30d", "Last 30 days"], ["365d", "Last year"], ["between", "Between…"]];
const opened = new Set();
let period = "";
let changed = () => {};
let latest = null;

export function whenChanged(work) {
  changed = work;
}

export const active = () =>
  Boolean(chosen.scope || chosen.kind.length || chosen.agent.length || chosen.tag.length || chosen.since || chosen.until);

export function clear() {
  Object.assign(chosen, { scope: "", kind: [], agent: [], tag: [], since: "", until: "", expired: "" });
  period = "";
  apply();
}

export function only(name, value) {
  chosen[name] = [value];
  apply();
}

export function draw(overview) {
  latest = overview;
  const { stats } = overview;
  fill(
    $("filters"),
    scopes(stats.by_scope),
    facet("kind", "Kind", stats.by_kind, (name) => kindOf(name)),
    facet("tag", "Tag", stats.by_tag),
    facet("agent", "Agent", stats.by_agent),
    times(),
    orders(),
    active() && el("button", { class: "quiet clear", onclick: clear }, "Clear filters"),
  );
}

function apply() {
  const focused = document.activeElement?.dataset?.key;
  draw(latest);
  if (focused) document.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus();
  changed();
}

function scopes(counts) {
  const names = [["", "Both"], ["local", "Local"], ["global", "Global"]];
  return el("div", { class: "segments", role: "group", "aria-label": "Scope" },
    names.map(([value, name]) =>
      el("button", {
        "aria-pressed": String(chosen.scope === value), "data-key": `scope ${value}`,
        title: value ? `${counts[value] ?? 0} statements` : undefined,
        onclick: () => { chosen.scope = value; apply(); },
      }, name)));
}

function facet(name, title, counts, shown = words) {
  const all = Object.entries(counts);
  for (const each of chosen[name]) if (!(each in counts)) all.unshift([each, 0]);
  if (!all.length) return null;
  const some = opened.has(name) ? all : all.filter(([value], place) => place < SHOWN || chosen[name].includes(value));
  return el("fieldset", {}, el("legend", {}, title),
    some.map(([value, count]) =>
      el("label", { class: "choice" },
        el("input", { type: "checkbox", checked: chosen[name].includes(value), "data-key": `${name} ${value}`, onchange: () => toggle(name, value) }),
        el("span", { class: "name" }, shown(value || "(none)")),
        el("span", { class: "number" }, count.toLocaleString("en")))),
    all.length > SHOWN &&
      el("button", { class: "quiet", "data-key": `more ${name}`, onclick: () => { opened.has(name) ? opened.delete(name) : opened.add(name); apply(); } },
        opened.has(name) ? "Fewer" : `${all.length - SHOWN} more`));
}

function toggle(name, value) {
  chosen[name] = chosen[name].includes(value) ? chosen[name].filter((each) => each !== value) : [...chosen[name], value];
  apply();
}

function times() {
  const set = (value) => {
    period = value;
    chosen.since = value === "between" ? chosen.since.replace(/^\d+d$/, "") : value;
    if (value !== "between") chosen.until = "";
    apply();
  };
  const day = (name, title) =>
    el("label", { class: "day" }, title,
      el("input", { type: "date", value: chosen[name], "data-key": name, onchange: (event) => { chosen[name] = event.target.value; apply(); } }));
  return el("fieldset", {}, el("legend", {}, "Recorded"),
    el("select", { "aria-label": "Recorded", "data-key": "period", onchange: (event) => set(event.target.value) },
      TIMES.map(([value, name]) => el("option", { value, selected: value === period }, name))),
    period === "between" && el("div", { class: "days" }, day("since", "from"), day("until", "to")),
    el("label", { class: "choice" },
      el("input", { type: "checkbox", checked: chosen.expired === "1", "data-key": "expired", onchange: (event) => { chosen.expired = event.target.checked ? "1" : ""; apply(); } }),
      el("span", { class: "name" }, "Also what has expired")));
}

function orders() {
  const names = [["newest", "Newest first"], ["oldest", "Oldest first"], ["recalled", "Last recalled first"]];
  return el("fieldset", {}, el("legend", {}, "Order"),
    el("select", { "aria-label": "Order, when nothing is searched", "data-key": "sort", onchange: (event) => { chosen.sort = event.target.value; apply(); } },
      names.map(([value, name]) => el("option", { value, selected: value === chosen.sort }, name))));
}
