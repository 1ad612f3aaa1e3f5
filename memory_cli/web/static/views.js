// The other views: handoff, the whole as Markdown, health.

import { get, post } from "./api.js";
import { copy, el, fill, toast, words } from "./dom.js";
import * as statement from "./statement.js";

export async function handoff(place, written) {
  const found = await get("handoff");
  if (found.shown) return statement.draw(place, found.shown);
  if (!found.project) {
    return fill(place, sheet("Handoff", el("p", { class: "empty" }, "There is no project here, and a handoff belongs to one. `memory init` makes a folder a project.")));
  }
  const text = el("textarea", { rows: "9", required: true, "aria-label": "Handoff", placeholder: "What was done, what is open, where to go on." });
  const form = el("form", { class: "fields" }, text, el("p", { class: "error", role: "alert" }),
    el("div", { class: "acts" }, el("button", { class: "button primary", type: "submit" }, "Set handoff")));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      await post("handoff", { text: text.value });
      await written();
      toast("The handoff is set.");
      await handoff(place, written);
    } catch (error) {
      fill(form.querySelector(".error"), words(error.message));
    }
  });
  return fill(place, sheet("Handoff", el("p", { class: "lead" }, "None is set. It is what the next conversation in this project must know."), form));
}

export async function markdown(place, overview, scope = "local") {
  const names = overview.status.project ? ["local", "global"] : ["global"];
  if (!names.includes(scope)) scope = names[0];
  const choices = el("div", { class: "segments", role: "group", "aria-label": "Scope" }, names.map((name) =>
    el("button", { "aria-pressed": String(name === scope), onclick: () => markdown(place, overview, name) }, name === "local" ? "Local" : "Global")));
  let body, told = "", button = null;
  try {
    const found = await get("markdown", { scope });
    told = `${found.statements.toLocaleString("en")} statements`;
    button = el("button", { class: "button", id: "copy-markdown", onclick: () => copy(found.text, button) }, "Copy all");
    body = el("pre", { class: "document", tabindex: "0", dir: "auto" }, words(found.text));
  } catch (error) {
    body = el("p", { class: "empty" }, words(error.message));
  }
  fill(place, el("div", { class: "sheet" }, el("h1", {}, "Markdown"), el("div", { class: "acts" }, choices, el("span", { class: "number" }, told), button), body));
}

export async function health(place) {
  fill(place, sheet("Health", el("p", { class: "empty" }, "Checking…")));
  const { status, diagnosis } = await get("health");
  fill(place, el("div", { class: "sheet" }, el("h1", {}, "Health"),
    diagnosis.findings.length
      ? el("ul", { class: "findings" }, diagnosis.findings.map((each) =>
        el("li", {}, el("b", {}, words(each.problem)), " ", words(each.remedy ?? ""))))
      : el("p", { class: "well" }, "All is well: files, indexes, permissions and the model were checked."),
    el("h2", {}, "Pending"),
    el("p", {}, status.units_pending ? `${status.units_pending.toLocaleString("en")} statements wait for their vector; words find them until then.` : "Nothing waits."),
    (status.notes ?? []).map((each) => el("p", { class: "lead" }, words(each))),
    el("h2", {}, "Memories"), el("div", { class: "cards" }, status.scopes.map(card)),
    el("h2", {}, "Here"), el("dl", {}, pairs([
      ["Project", status.project && `${status.project} (${status.project_why})`],
      ["Storage", `${status.storage} (${status.storage_why})`],
      ["Model", status.model + (status.semantic ? `: ${status.semantic}` : "")],
      ["Device", status.device], ["Version", status.version],
    ]))));
}

function card(scope) {
  return el("section", { class: "card" }, el("h3", {}, scope.scope),
    scope.exists
      ? el("dl", {}, pairs([
        ["Statements", (scope.statements ?? 0).toLocaleString("en")], ["Size", size((scope.bytes ?? 0) + (scope.wal_bytes ?? 0))],
        ["Pending", String(scope.pending ?? 0)], ["Handoff", scope.handoff ? "set" : scope.scope === "local" && "none"], ["Folder", scope.folder],
      ]))
      : el("p", { class: "empty" }, words(`Nothing is there yet: ${scope.folder}`)));
}

const pairs = (rows) => rows.filter(([, value]) => value).flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, words(value))]);

const size = (bytes) => (bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`);

const sheet = (title, ...children) => el("div", { class: "sheet" }, el("h1", {}, title), children);
