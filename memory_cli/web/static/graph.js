// The graph: statements as points that push each other away and links that pull, to move through and to open.

import { get } from "./api.js";
import { el, fill, toast, words } from "./dom.js";

const WIDE = 1000, HIGH = 640, STEPS = 260;
const SVG = "http://www.w3.org/2000/svg";
const TYPES = ["supersedes", "contradicts", "supports", "related", "similar", "tag"];

export async function draw(place, filter = "") {
  const found = await get("graph", { filter });
  const search = el("input", { type: "search", value: filter, placeholder: "Part of a text, an id or an agent", "aria-label": "Filter of the graph" });
  const form = el("form", { class: "acts", role: "search" }, search, el("button", { class: "button", type: "submit" }, "Show"));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    draw(place, search.value.trim()).catch((error) => toast(error.message));
  });
  const said = found.hint || `${found.nodes.length} statements, ${found.edges.length} links${found.truncated ? ", and there is more" : ""}`;
  fill(place, el("div", { class: "sheet graph" }, el("h1", {}, "Graph"), form, el("p", { class: "lead", id: "graph-said" }, words(said)),
    found.nodes.length && picture(found), found.nodes.length && legend(found)));
}

function picture({ nodes, edges }) {
  const points = settled(nodes, edges);
  const svg = make("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, tabindex: "0", role: "group", "aria-label": "Graph; arrows move, plus and minus zoom" });
  const lines = edges.map((edge) => {
    const line = make("line", { class: "edge", "data-type": edge.type });
    line.append(titled(`${edge.type} ${edge.score.toFixed(2)}`));
    return { edge, line };
  });
  const dots = nodes.map((node) => dot(node, points));
  svg.append(...lines.map(({ line }) => line), ...dots.map(({ group }) => group));
  const place = () => {
    for (const { edge, line } of lines) {
      const [a, b] = [points.get(edge.from_id), points.get(edge.to_id)];
      set(line, { x1: a.x, y1: a.y, x2: b.x, y2: b.y });
    }
    for (const { node, group } of dots) set(group, { transform: `translate(${points.get(node.id).x} ${points.get(node.id).y})` });
  };
  place();
  movable(svg, points, place);
  return svg;
}

function dot(node, points) {
  const link = make("a", { href: `#/s/${node.scope}/${encodeURIComponent(node.id)}`, class: node.superseded ? "node superseded" : "node", "data-id": node.id });
  const label = make("text", { x: 11, y: 4 });
  label.append(words(node.text.length > 34 ? `${node.text.slice(0, 33)}…` : node.text));
  const circle = make("circle", { r: 5 + Math.min(7, points.get(node.id).links), "data-kind": node.kind });
  link.append(circle, label, titled(node.text));
  return { node, group: link };
}

function titled(text) {
  const title = make("title", {});
  title.append(words(text).textContent);
  return title;
}

// A point is dragged, the rest of the picture is moved, and the wheel comes nearer or goes away.
function movable(svg, points, place) {
  const view = { x: 0, y: 0, width: WIDE, height: HIGH };
  const show = () => set(svg, { viewBox: `${view.x} ${view.y} ${view.width} ${view.height}` });
  const zoom = (by, x = view.x + view.width / 2, y = view.y + view.height / 2) => {
    const factor = Math.min(Math.max(view.width * by, WIDE / 8), WIDE * 3) / view.width;
    Object.assign(view, { x: x - (x - view.x) * factor, y: y - (y - view.y) * factor, width: view.width * factor, height: view.height * factor });
    show();
  };
  const at = (event) => {
    const box = svg.getBoundingClientRect();
    return { x: view.x + ((event.clientX - box.left) / box.width) * view.width, y: view.y + ((event.clientY - box.top) / box.height) * view.height };
  };
  let held = null, from = null, moved = false;
  svg.addEventListener("pointerdown", (event) => {
    held = event.target.closest(".node")?.dataset.id ?? "";
    from = at(event);
    moved = false;
  });
  svg.addEventListener("pointermove", (event) => {
    if (held === null) return;
    const to = at(event);
    if (Math.hypot(to.x - from.x, to.y - from.y) > 3) moved = true;
    if (held) Object.assign(points.get(held), to);
    else Object.assign(view, { x: view.x - to.x + from.x, y: view.y - to.y + from.y });
    if (held) place();
    else show();
  });
  for (const end of ["pointerup", "pointerleave"]) svg.addEventListener(end, () => (held = null));
  // What was dragged is not opened by the click that ends it.
  svg.addEventListener("click", (event) => moved && event.preventDefault());
  svg.addEventListener("dragstart", (event) => event.preventDefault());
  svg.addEventListener("wheel", (event) => {
    event.preventDefault();
    const { x, y } = at(event);
    zoom(event.deltaY > 0 ? 1.15 : 1 / 1.15, x, y);
  }, { passive: false });
  svg.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (by) Object.assign(view, { x: view.x + (by[0] * view.width) / 12, y: view.y + (by[1] * view.height) / 12 });
    else if (event.key === "+" || event.key === "-") return zoom(event.key === "-" ? 1.25 : 0.8);
    else return;
    event.preventDefault();
    event.stopPropagation();
    show();
  });
}

// Fruchterman and Reingold, "Graph drawing by force-directed placement", 1991; begun on a circle, so that it is the same each time.
function settled(nodes, edges) {
  const points = new Map(nodes.map(({ id }, place) => {
    const angle = (2 * Math.PI * place) / nodes.length;
    return [id, { x: WIDE / 2 + Math.cos(angle) * WIDE * 0.3, y: HIGH / 2 + Math.sin(angle) * HIGH * 0.3, links: 0 }];
  }));
  for (const { from_id, to_id } of edges) for (const id of [from_id, to_id]) points.get(id).links += 1;
  const all = [...points.values()];
  const ideal = 0.6 * Math.sqrt((WIDE * HIGH) / Math.max(all.length, 1));
  for (let step = 0; step < STEPS; step++) {
    const forces = new Map(all.map((each) => [each, { x: 0, y: 0 }]));
    const pull = (a, b, strength) => {
      const dx = b.x - a.x || 0.01, dy = b.y - a.y || 0.01, far = Math.max(Math.hypot(dx, dy), 1);
      const force = strength(far);
      forces.get(a).x += (dx / far) * force;
      forces.get(a).y += (dy / far) * force;
      forces.get(b).x -= (dx / far) * force;
      forces.get(b).y -= (dy / far) * force;
    };
    for (let i = 0; i < all.length; i++) for (let j = i + 1; j < all.length; j++) pull(all[i], all[j], (far) => -(ideal * ideal) / far);
    for (const { from_id, to_id } of edges) pull(points.get(from_id), points.get(to_id), (far) => (far * far) / ideal / 2);
    // A weak pull to the middle keeps what is linked to nothing else in the picture.
    for (const each of all) {
      const force = forces.get(each);
      force.x += (WIDE / 2 - each.x) * 0.35;
      force.y += (HIGH / 2 - each.y) * 0.6;
    }
    const heat = (WIDE / 12) * (1 - step / STEPS);
    for (const each of all) {
      const { x, y } = forces.get(each), size = Math.max(Math.hypot(x, y), 1);
      each.x = Math.min(WIDE - 190, Math.max(20, each.x + (x / size) * Math.min(size, heat)));
      each.y = Math.min(HIGH - 20, Math.max(20, each.y + (y / size) * Math.min(size, heat)));
    }
  }
  return points;
}

function legend({ edges }) {
  const there = new Set(edges.map((each) => each.type));
  return el("p", { class: "legend" }, TYPES.filter((each) => there.has(each)).map((each) => el("span", { "data-type": each }, each)));
}

function make(name, properties) {
  return set(document.createElementNS(SVG, name), properties);
}

function set(element, properties) {
  for (const [name, value] of Object.entries(properties)) element.setAttribute(name, String(value));
  return element;
}
