// One statement: reading it, changing it, forgetting it, and what was changed meanwhile.

import { get, post } from "./api.js";
import { $, copy, el, fill, kindOf, marked, prose, toast, when, words } from "./dom.js";
import { only } from "./filters.js";
import { changesOf } from "./history.js";

const KINDS = ["ITEM", "RULE", "PLAN", "PREFERENCE", "CORRECTION", "DECISION", "FACT"];
let written = () => {};
const never = () => false;
let unsaved = never;

export const isEditing = () => unsaved();

export const mayLeave = () => !unsaved() || confirm("Leave what you wrote?");

export function whenWritten(work) {
  written = work;
}

export async function open(place, scope, id) {
  unsaved = never;
  try {
    draw(place, await get("statement", { scope, id }));
  } catch (error) {
    fill(place, back(), el("p", { class: "empty" }, words(error.message)));
  }
}

export function draw(place, shown) {
  unsaved = never;
  const { unit } = shown;
  const edit = el("button", { class: "button", title: "e", "data-act": "edit", onclick: () => editing(place, shown) }, "Edit");
  const copying = el("button", { class: "quiet", onclick: () => copy(unit.text, copying) }, "Copy");
  fill(place, el("div", { class: "sheet" },
    el("div", { class: "head" }, back(), kindOf(unit.kind), el("span", { class: "where" }, unit.scope),
      unit.superseded && el("span", { class: "flag" }, "superseded"),
      unit.foreign && el("span", { class: "flag" }, "not yours: it came with a clone")),
    el("div", { class: "whole", dir: "auto" }, prose(unit.text)),
    el("div", { class: "acts" }, edit, copying,
      el("button", { class: "quiet danger", "data-act": "forget", onclick: () => forget(place, shown) }, "Forget")),
    facts(shown),
    el("h2", {}, "Links"), linksOf(shown),
    el("h2", {}, "History"), changesOf(shown.changes ?? [], () => reopen(place, unit))));
}

function linksOf({ unit, links }) {
  if (!links?.length) return el("p", { class: "empty" }, "None yet.");
  return el("ul", { class: "links" }, links.map((each) => {
    const outward = each.from_id === unit.id;
    const other = outward ? each.to_id : each.from_id;
    const said = each.missing ? el("span", { class: "empty" }, "gone") : el("a", { href: `#/s/${each.scope}/${encodeURIComponent(other)}` }, words(each.text));
    return el("li", {}, el("span", { class: "where" }, outward ? each.type : `${each.type} by`), " ", said);
  }));
}

export function fresh(place, overview) {
  const scopes = overview.status.project ? ["local", "global"] : ["global"];
  const scope = el("select", { name: "scope" }, scopes.map((each) => el("option", { value: each }, each)));
  const form = fields({ text: "", kind: "ITEM", tags: [] }, { save: "Record", more: el("label", {}, "Scope", scope), cancel: () => mayLeave() && leave() });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    attempt(form, async () => {
      const given = { text: form.elements.text.value, kind: form.elements.kind.value, scope: scope.value, tag: tagsIn(form) };
      const done = await post("record", given);
      unsaved = never;
      await written();
      toast(told(done));
      location.hash = `#/s/${done.scope}/${encodeURIComponent(done.id)}`;
    });
  });
  fill(place, el("div", { class: "sheet" }, el("div", { class: "head" }, back(), el("h1", {}, "New statement")), form));
  unsaved = changesTo(form);
  form.elements.text.focus();
}

export function editing(place, shown, mine = null) {
  const { unit } = shown;
  const form = fields(mine ?? unit, { save: "Save", base: unit, cancel: () => mayLeave() && draw(place, shown) });
  const untouched = form.elements.text.value;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const given = differences(unit, form, mine ? null : untouched);
    if (!Object.keys(given).length) return draw(place, shown);
    attempt(form, () => save(place, shown, form, given));
  });
  fill(place, el("div", { class: "sheet" },
    el("div", { class: "head" }, back(), kindOf(unit.kind), el("span", { class: "where" }, unit.scope)), form));
  unsaved = mine ? () => true : changesTo(form);
  form.elements.text.focus();
}

async function save(place, shown, form, given) {
  const { id, scope } = shown.unit;
  try {
    const done = await post("update", { id, scope, if_version: shown.version, ...given });
    unsaved = never;
    await reopen(place, shown.unit);
    toast(done.redacted?.length ? `Saved; blotted out: ${done.redacted.join(", ")}.` : "Saved.");
  } catch (error) {
    if (error.status === 409 && error.current?.version !== shown.version) return conflict(place, error.current, mineIn(form), shown);
    if (error.status === 404) return conflict(place, null, mineIn(form), shown);
    throw error;
  }
}

function conflict(place, current, mine, shown) {
  unsaved = () => true;
  const text = el("textarea", { name: "mine", rows: "10", "aria-label": "Yours" });
  const now = current?.unit;
  const wanted = now ? merged(shown.unit, mine, now) : mine;
  text.value = wanted.text;
  const change = current?.changes?.[0];
  const yours = () => ({ ...wanted, text: text.value });
  fill(place, el("div", { class: "sheet conflict", role: "alert" },
    el("div", { class: "head" }, back(), el("h1", {}, now ? "Changed meanwhile" : "Forgotten meanwhile")),
    el("p", {}, now
      ? "Somebody changed this statement while you did. Nothing was overwritten: compare the two, then decide."
      : "Somebody forgot this statement while you changed it. What you wrote is still here."),
    el("div", { class: "both" },
      now && el("section", {}, el("h2", {}, "As it is now", change && el("small", {}, words(` by ${change.agent}, `), when(change.at))),
        el("div", { class: "whole now", dir: "auto" }, marked(mine.text, now.text)), summary(now)),
      el("section", {}, el("h2", {}, "Yours"), text, summary(mine))),
    el("div", { class: "acts" },
      now && el("button", { class: "button", "data-act": "theirs", onclick: () => { draw(place, current); written(); } }, "Keep what is there"),
      now && el("button", { class: "quiet", "data-act": "mine", onclick: () => editing(place, current, yours()) }, "Go on with yours"),
      !now && el("button", { class: "button", onclick: () => again(shown.unit, yours()) }, "Record yours anew"),
      !now && el("button", { class: "quiet", onclick: leave }, "Let it go"))));
  place.focus();
}

// What I changed stays mine; what I left alone is as it is now.
function merged(base, mine, now) {
  const had = base.tags ?? [];
  const removed = had.filter((each) => !mine.tags.includes(each));
  const added = mine.tags.filter((each) => !had.includes(each));
  return {
    text: mine.text === base.text.replace(/\r\n?/g, "\n") ? now.text : mine.text,
    kind: mine.kind === base.kind ? now.kind : mine.kind,
    superseded: mine.superseded === Boolean(base.superseded) ? Boolean(now.superseded) : mine.superseded,
    tags: [...new Set([...(now.tags ?? []).filter((each) => !removed.includes(each)), ...added])],
  };
}

async function again(unit, mine) {
  try {
    const done = await post("record", { text: mine.text, kind: mine.kind, scope: unit.scope, tag: mine.tags });
    unsaved = never;
    await written();
    location.hash = `#/s/${done.scope}/${encodeURIComponent(done.id)}`;
  } catch (error) {
    toast(error.message);
  }
}

export async function forget(place, shown) {
  const { id, scope } = shown.unit;
  try {
    await post("forget", { id, scope, if_version: shown.version });
  } catch (error) {
    toast(error.message);
    if (error.current) draw(place, error.current);
    return;
  }
  const { changes } = await get("history", { id, scope });
  const done = changes.find((each) => each.operation === "forget" && !each.undone_by);
  leave();
  await written();
  toast("Forgotten.", done && { name: "Undo", work: () => bringBack(done.change, scope, id) });
}

async function bringBack(change, scope, id) {
  try {
    await post("undo", { change });
    await written();
    toast("It is back.");
    location.hash = `#/s/${scope}/${encodeURIComponent(id)}`;
  } catch (error) {
    toast(error.message);
  }
}

async function reopen(place, unit) {
  await written();
  await open(place, unit.scope, unit.id);
}

function leave() {
  unsaved = never;
  location.hash = location.hash === "#/handoff" ? "#/handoff" : "#/";
}

const back = () => el("a", { class: "back", href: "#/", "aria-label": "Back to the list" }, "‹ Back");

function fields(unit, { save, more = null, base = null, cancel }) {
  const text = el("textarea", { name: "text", rows: "9", required: true, "aria-label": "Text", spellcheck: "true" });
  text.value = unit.text;
  const fixed = unit.kind === "HANDOFF";
  const form = el("form", { class: "fields" }, text,
    el("div", { class: "row" },
      !fixed && el("label", {}, "Kind", el("input", { name: "kind", value: unit.kind, list: "kinds", pattern: "[A-Za-z]{1,64}", required: true, autocomplete: "off" }),
        el("datalist", { id: "kinds" }, KINDS.map((each) => el("option", { value: each })))),
      el("label", { class: "wide" }, "Tags", el("input", { name: "tags", value: (unit.tags ?? []).join(", "), placeholder: "separated by commas", autocomplete: "off" })),
      more),
    base && !fixed && el("label", { class: "choice" }, el("input", { type: "checkbox", name: "superseded", checked: Boolean(unit.superseded) }), el("span", {}, "Superseded: something newer holds instead")),
    el("p", { class: "error", role: "alert" }),
    el("div", { class: "acts" }, el("button", { class: "button primary", type: "submit", title: "Ctrl Enter" }, save),
      el("button", { class: "quiet", type: "button", "data-act": "cancel", onclick: cancel }, "Cancel")));
  form.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
  return form;
}

async function attempt(form, work) {
  const button = form.querySelector("[type=submit]");
  button.disabled = true;
  try {
    await work();
  } catch (error) {
    fill(form.querySelector(".error"), words(error.message));
  } finally {
    button.disabled = false;
  }
}

function changesTo(form) {
  const written = () => JSON.stringify(mineIn(form));
  const before = written();
  return () => form.isConnected && written() !== before;
}

const tagsIn = (form) => form.elements.tags.value.split(",").map((each) => each.trim().replace(/^#/, "")).filter(Boolean);

const mineIn = (form) => ({
  text: form.elements.text.value,
  kind: form.elements.kind?.value.toUpperCase() ?? "HANDOFF",
  tags: tagsIn(form),
  superseded: form.elements.superseded?.checked ?? false,
});

// A text area makes other line ends its own, so a text that nobody touched is not sent.
function differences(unit, form, untouched) {
  const mine = mineIn(form);
  const had = unit.tags ?? [];
  const given = {};
  if (untouched === null ? mine.text !== unit.text : mine.text !== untouched) given.text = mine.text;
  if (mine.kind !== unit.kind) given.kind = mine.kind;
  if (mine.superseded !== Boolean(unit.superseded)) given.superseded = mine.superseded;
  const more = mine.tags.filter((each) => !had.includes(each));
  const fewer = had.filter((each) => !mine.tags.includes(each));
  if (more.length) given.tag = more;
  if (fewer.length) given.untag = fewer;
  return given;
}

function told(done) {
  const said = [done.already_recorded ? "It was known already, and is at the top now." : "Recorded."];
  if (done.redacted?.length) said.push(`Blotted out: ${done.redacted.join(", ")}.`);
  if (done.similar?.length) said.push(`${done.similar.length} say nearly the same or may contradict it.`);
  return said.join(" ");
}

function summary(unit) {
  return el("p", { class: "summary" }, kindOf(unit.kind), (unit.tags ?? []).map((tag) => el("span", { class: "tag" }, words(`#${tag}`))),
    unit.superseded && el("span", { class: "flag" }, "superseded"));
}

function facts({ unit, origins, aliases = [] }) {
  const rows = [
    ["Recorded", when(unit.at, { full: true })],
    ["By", origins.map((each) => [each.agent, each.source && each.source !== each.agent && `through ${each.source}`].filter(Boolean).join(" ")).join("; ")],
    ["Tags", (unit.tags ?? []).length && el("span", {}, unit.tags.map((tag) => el("button", { class: "tag", onclick: () => only("tag", tag) }, words(`#${tag}`))))],
    ["Recalled", unit.recalls ? el("span", {}, `${unit.recalls} ×, last `, when(unit.last_recalled_at)) : "never"],
    ["Expires", unit.expires_at && when(unit.expires_at, { full: true })],
    ["Id", el("code", {}, words([unit.id, ...aliases].join(", ")))],
    ["Metadata", unit.metadata && el("pre", {}, words(JSON.stringify(unit.metadata, null, 2)))],
  ];
  return el("dl", {}, rows.filter(([, value]) => value).flatMap(([name, value]) =>
    [el("dt", {}, name), el("dd", {}, typeof value === "string" ? words(value) : value)]));
}
