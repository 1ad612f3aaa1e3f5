// The list: what answers the query, or all, a page at a time.

import { get } from "./api.js";
import { $, current, el, fill, kindOf, prose, toast, when, words } from "./dom.js";
import { active, chosen, clear } from "./filters.js";

const PAGE = 50;
const PARTS = {
  words: "words in common, rare ones count more",
  meaning: "likeness of meaning",
  neighbour: "its neighbours match too",
  agent: "the query names its agent",
  identifier: "an identifier, found whole",
  asks: "it asks rather than answers",
  rerank: "read again together with the query",
};
let offset = 0;
let running = null;
let waiting;

export const address = (unit) => `#/s/${unit.scope}/${encodeURIComponent(unit.id)}`;

export function searchSoon() {
  clearTimeout(waiting);
  waiting = setTimeout(search, 130);
}

export function search() {
  offset = 0;
  return load();
}

export async function load({ keepFocus = false } = {}) {
  clearTimeout(waiting);
  running?.abort();
  const mine = (running = new AbortController());
  const query = $("query").value.trim();
  $("list").setAttribute("aria-busy", "true");
  try {
    const answer = await get("statements", { ...chosen, query, offset: offset || "" }, mine.signal);
    if (running !== mine) return;
    if (!answer.units.length && offset) {
      offset = Math.max(0, offset - PAGE);
      return await load({ keepFocus });
    }
    draw(answer, query);
    if (!keepFocus) $("list").scrollTop = 0;
  } catch (error) {
    if (error.name === "AbortError") return;
    fill($("results"));
    $("count").textContent = "";
    fill($("notes"), words(error.message));
  } finally {
    if (running === mine) $("list").removeAttribute("aria-busy");
  }
}

export function turn(pages) {
  offset = Math.max(0, offset + pages * PAGE);
  return load().then(() => items()[0]?.focus());
}

export const items = () => [...$("results").querySelectorAll(".item")];

export function mark(place) {
  for (const each of items()) current(each, each.getAttribute("href") === place);
}

function draw(answer, query) {
  const { units } = answer;
  const best = Math.max(...units.map((each) => each.score ?? 0));
  fill($("results"), units.map((each) => row(each, best)));
  const last = offset + units.length;
  const number = (each) => each.toLocaleString("en");
  const range = `${number(offset + 1)}–${number(last)}`;
  $("count").textContent = !units.length ? "" : query
    ? answer.next || offset ? `${range}, best first` : `${last} ${last === 1 ? "answer" : "answers"}, best first`
    : last === answer.total && !offset ? `${number(last)} ${last === 1 ? "statement" : "statements"}` : `${range} of ${number(answer.total)}`;
  $("previous").disabled = !offset;
  $("next").disabled = !answer.next;
  $("previous").parentElement.hidden = !offset && !answer.next;
  const said = [answer.hint, answer.warning, query && answer.semantic];
  if (!units.length && !query) said.unshift(active() ? "Nothing passes these filters." : "Nothing is remembered yet.");
  fill($("notes"), said.filter(Boolean).map((each) => el("span", {}, words(each))),
    !units.length && active() && el("button", { class: "quiet", onclick: clear }, "Clear filters"));
  mark(location.hash);
}

function row(unit, best) {
  return el("li", {},
    el("a", { class: unit.superseded ? "item superseded" : "item", href: address(unit), "data-id": unit.id },
      el("span", { class: "head" },
        kindOf(unit.kind),
        el("span", { class: "where" }, unit.scope),
        unit.agents?.length && el("span", { class: "who" }, words(unit.agents.join(", "))),
        unit.superseded && el("span", { class: "flag" }, "superseded"),
        unit.foreign && el("span", { class: "flag", title: "It came with a clone and was written by somebody else." }, "not yours"),
        unit.score ? null : when(unit.at)),
      el("span", { class: "text", dir: "auto" }, prose(unit.text)),
      unit.tags?.length && el("span", { class: "tags" }, unit.tags.map((tag) => el("span", {}, words(`#${tag}`))))),
    unit.score && score(unit, best));
}

function score(unit, best) {
  const id = `why-${unit.scope}-${unit.id}`;
  const parts = Object.entries(unit.explain ?? {});
  return el("div", { class: "score" },
    el("button", { "aria-describedby": id, "aria-label": `Score ${unit.score.toFixed(2)}` },
      el("meter", { min: "0", max: String(best), value: String(unit.score) }), unit.score.toFixed(2)),
    el("div", { class: "why", role: "tooltip", id },
      parts.map(([name, value]) => el("div", {}, el("b", {}, `${name === "asks" ? "−" : ""}${value.toFixed(2)}`), " ", el("span", {}, name), el("small", {}, PARTS[name] ?? ""))),
      el("div", { class: "sum" }, el("b", {}, unit.score.toFixed(2)), " ", el("span", {}, "together"))));
}

$("previous").addEventListener("click", () => turn(-1).catch((error) => toast(error.message)));
$("next").addEventListener("click", () => turn(1).catch((error) => toast(error.message)));
