// Changes, of one statement or of all, each with the way back.

import { get, post } from "./api.js";
import { el, fill, marked, toast, when, words } from "./dom.js";

const DONE = { record: "recorded", update: "changed", forget: "forgot", undo: "took back", handoff: "set the handoff", import: "took in" };

export function changesOf(changes, undone) {
  if (!changes.length) return el("p", { class: "empty" }, "Nothing is known of its past.");
  return el("ol", { class: "changes" }, changes.map((each) => row(each, undone)));
}

export async function draw(place, written, offset = 0) {
  const found = await get("history", { offset: offset || "" });
  const again = () => Promise.all([draw(place, written, offset), written()]);
  const turn = (by) => draw(place, written, Math.max(0, offset + by)).then(() => place.focus());
  fill(place, el("div", { class: "sheet" }, el("h1", {}, "History"),
    el("p", { class: "lead" }, `${found.total.toLocaleString("en")} changes, newest first. Each can be taken back; that is a change of its own.`),
    changesOf(found.changes, again),
    (offset || found.next) && el("div", { class: "pager" },
      el("button", { class: "quiet", disabled: !offset, onclick: () => turn(-50) }, "Newer"),
      el("button", { class: "quiet", disabled: !found.next, onclick: () => turn(50) }, "Older"))));
}

function row(change, undone) {
  const { count, items } = change;
  const more = count - items.length;
  const button = el("button", { class: "quiet", "data-act": "undo", onclick: () => takeBack(change, undone) },
    count > 1 ? `Undo all ${count}` : "Undo");
  return el("li", { class: change.undone_by && "gone" },
    el("div", { class: "head" },
      el("b", {}, words(change.agent || "somebody")), ` ${DONE[change.operation] ?? change.operation} `,
      count > 1 && `${count} statements `, when(change.at),
      el("code", {}, change.change), change.undone_by ? el("span", { class: "flag" }, "taken back") : change.undoes ? null : button),
    items.map((item) => difference(item)),
    more > 0 && el("p", { class: "empty" }, `and ${more} more`));
}

function difference(item) {
  const { before = {}, after = {}, statement } = item;
  if (item.effect === "remove") return el("p", { class: "was", dir: "auto" }, words(before.text ?? statement));
  if (item.effect === "add") return el("p", { class: "is", dir: "auto" }, words(after.text ?? statement));
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.map((name) => {
    const [old, now] = [before[name], after[name]].map(readable);
    return el("div", { class: "change", dir: "auto" }, el("small", {}, name === "origins" ? "tags or origin" : name),
      el("p", { class: "was" }, marked(now, old)), el("p", { class: "is" }, marked(old, now)));
  });
}

const readable = (value) => {
  if (value === undefined || value === null) return "–";
  if (Array.isArray(value)) return value.map((each) => (Array.isArray(each) ? origin(each) : String(each))).join("; ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
};

const origin = ([agent, source, tags]) => [agent, source, ...(tags ?? []).map((tag) => `#${tag}`)].filter(Boolean).join(" ");

async function takeBack(change, undone) {
  try {
    const done = await post("undo", { change: change.change });
    toast(`Taken back, as change ${done.change}.`);
    await undone();
  } catch (error) {
    toast(error.message);
  }
}
