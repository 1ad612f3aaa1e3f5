// Elements, made without any markup: text stays text.

export const $ = (id) => document.getElementById(id);

export function el(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (key in made && typeof value !== "string") made[key] = value;
    else made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.flat(Infinity).filter((each) => each !== null && each !== undefined && each !== false && each !== ""));
  return made;
}

export function current(element, on) {
  if (on) element.setAttribute("aria-current", "true");
  else element.removeAttribute("aria-current");
}

export const fill = (parent, ...children) => {
  parent.replaceChildren(...children.flat(Infinity).filter(Boolean));
  return parent;
};

// What would be invisible, or turn the reading direction, shows as a mark that names it.
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/u;

const CONTROLS = "NUL SOH STX ETX EOT ENQ ACK BEL BS TAB LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US".split(" ");
const NAMES = {
  0x7f: "DEL", 0x200b: "ZWSP", 0x200e: "LRM", 0x200f: "RLM", 0x2028: "LS", 0x2029: "PS", 0x202a: "LRE", 0x202b: "RLE", 0x202c: "PDF",
  0x202d: "LRO", 0x202e: "RLO", 0x2066: "LRI", 0x2067: "RLI", 0x2068: "FSI", 0x2069: "PDI", 0xfeff: "BOM",
};

export function words(text) {
  const made = document.createDocumentFragment();
  let plain = "";
  for (const sign of text) {
    if (!HIDDEN.test(sign)) {
      plain += sign;
      continue;
    }
    made.append(plain);
    plain = "";
    const code = sign.codePointAt(0);
    const name = `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
    made.append(el("span", { class: "hidden-sign", title: name }, CONTROLS[code] ?? NAMES[code] ?? name));
  }
  made.append(plain);
  return made;
}

// What stands between backticks is set as code; the backticks stay.
export function prose(text) {
  const made = document.createDocumentFragment();
  text.split(/(`[^`\n]+`)/).forEach((part, place) => made.append(place % 2 ? el("code", {}, words(part)) : words(part)));
  return made;
}

export const kindOf = (kind) => el("span", { class: "kind", "data-kind": kind }, kind.toLowerCase());

const DAY = 86400e3;
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const whole = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });
const short = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });

export function when(moment, { full = false } = {}) {
  if (!moment) return "";
  const date = new Date(moment);
  const ago = date - Date.now();
  let said = short.format(date);
  if (full) said = whole.format(date);
  else if (Math.abs(ago) < 60e3) said = "just now";
  else if (Math.abs(ago) < 3600e3) said = relative.format(Math.round(ago / 60e3), "minute");
  else if (Math.abs(ago) < DAY) said = relative.format(Math.round(ago / 3600e3), "hour");
  else if (Math.abs(ago) < 14 * DAY) said = relative.format(Math.round(ago / DAY), "day");
  return el("time", { datetime: moment, title: whole.format(date) }, said);
}

export async function copy(text, button) {
  await navigator.clipboard.writeText(text);
  const before = button.textContent;
  button.textContent = "Copied";
  setTimeout(() => (button.textContent = before), 1500);
}

let fading;
export function toast(sentence, action) {
  const place = $("toast");
  fill(place, el("span", {}, words(sentence)), action && el("button", { onclick: () => { hide(); action.work(); } }, action.name),
    el("button", { class: "close", "aria-label": "Close", onclick: hide }, "\u00d7"));
  place.hidden = false;
  clearTimeout(fading);
  fading = setTimeout(hide, action ? 12000 : 6000);
  function hide() {
    place.hidden = true;
  }
}

// A diff by words of two short texts: what only the second has is marked.
export function marked(before, after) {
  const [a, b] = [before, after].map((text) => text.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? []);
  if (a.length * b.length > 400000) return words(after);
  const longest = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      longest[i][j] = a[i] === b[j] ? longest[i + 1][j + 1] + 1 : Math.max(longest[i + 1][j], longest[i][j + 1]);
  const isNew = [];
  for (let i = 0, j = 0; j < b.length; ) {
    if (i < a.length && a[i] === b[j]) [isNew[j++], i] = [false, i + 1];
    else if (i < a.length && longest[i + 1][j] >= longest[i][j + 1]) i++;
    else isNew[j++] = true;
  }
  const made = document.createDocumentFragment();
  for (let from = 0, to; from < b.length; from = to) {
    // What is between two new words belongs to them.
    const fresh = (place) => Boolean(isNew[place] || (isNew[place - 1] && isNew[place + 1] && !b[place].trim()));
    for (to = from + 1; to < b.length && fresh(to) === fresh(from); ) to++;
    const part = words(b.slice(from, to).join(""));
    made.append(fresh(from) ? el("mark", {}, part) : part);
  }
  return made;
}
