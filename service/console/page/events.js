// The audit events: the loaded ones, those of them that a filter lets through,
// and all that an event says.
import { at, button, element, replace, short, time, visible } from "./elements.js";
import { read } from "./calls.js";

const windowSize = 200; // of the newest events that are always loaded
const most = 5000; // that are loaded at once

let older = []; // before the newest window; loaded because somebody asked for them
let newest = []; // as they came last
let broken = new Set(); // sequences of faults
const opened = new Set(); // sequences whose details are shown
let current = 0; // the one event that the tab key reaches; the arrow keys go on from it

/** loadEvents reads the newest events, and puts those before them that were asked
 * for, without a gap. */
export async function loadEvents() {
  const audit = await read(`api/v1/audit/events?limit=${windowSize}`);
  const first = audit.events[0]?.body.sequence ?? 1;
  while (older.length > 0 && older.at(-1).body.sequence < first - 1) {
    const from = older.at(-1).body.sequence + 1;
    const to = Math.min(first - 1, from + 499);
    const { events } = await read(`api/v1/audit/events?to=${to}&limit=${to - from + 1}`);
    if (events.at(-1)?.body.sequence !== to) throw new Error(`the events up to ${to} did not come`);
    older.push(...events);
  }
  audit.events = [...older.filter((e) => e.body.sequence < first), ...audit.events];
  return audit;
}

/** loadOlder reads the events before the loaded ones. */
export async function loadOlder() {
  const first = newest[0]?.body.sequence ?? 1;
  const to = first - 1;
  if (to < 1) return;
  const { events } = await read(`api/v1/audit/events?to=${to}&limit=${Math.min(windowSize, to)}`);
  older = [...events, ...older];
}

/** dropOlder goes back to the newest events. */
export function dropOlder() {
  older = [];
}

/** newestTransaction is the transaction of the newest loaded event that has one. */
export const newestTransaction = () => newest.findLast((event) => event.body.transaction_id)?.body.transaction_id;

function matches(event, words) {
  const text = JSON.stringify(event).toLowerCase();
  return words.every((word) => text.includes(word));
}

function row({ body, hash }) {
  const isOpen = opened.has(body.sequence);
  const toggle = button(`event-${body.sequence}`, String(body.sequence), () => {
    if (!opened.delete(body.sequence)) opened.add(body.sequence);
    renderEvents();
  });
  toggle.setAttribute("aria-expanded", String(isOpen));
  toggle.tabIndex = body.sequence === current ? 0 : -1;
  toggle.setAttribute("aria-label", `Details of event ${body.sequence}`);
  return element("tr", broken.has(body.sequence) ? { class: "broken" } : {},
    element("td", { class: "number" }, toggle), element("td", {}, visible(body.type)), element("td", {}, visible(String(body.data?.by ?? ""))),
    element("td", {}, visible(body.transaction_id ?? "")), element("td", {}, time(body.occurred_at)), element("td", {}, short(hash)));
}

const details = (event) => element("tr", { class: "details" },
  element("td", { colspan: "6" }, element("pre", { tabindex: "0", id: `details-${event.body.sequence}` }, visible(JSON.stringify(event, null, 2)))));

/** renderEvents shows the loaded events that the filter lets through. Those that
 * did not verify are always shown. */
export function renderEvents() {
  const words = at("filter").value.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = newest.filter((event) => broken.has(event.body.sequence) || matches(event, words));
  if (!shown.some((event) => event.body.sequence === current)) current = shown.at(-1)?.body.sequence ?? 0;
  const rows = shown.toReversed().flatMap((event) => (opened.has(event.body.sequence) ? [row(event), details(event)] : [row(event)]));
  replace(at("events").tBodies[0], ...rows);
  const first = newest[0]?.body.sequence;
  at("events-count").textContent = newest.length === 0 ? "" : `${shown.length} of ${newest.length} loaded events, #${first} to #${newest.at(-1).body.sequence}`;
  at("older").disabled = first === undefined || first <= 1 || newest.length >= most;
  at("newest").disabled = older.length === 0;
}

/** walk goes to the next event by the arrow keys. */
export function walk(event) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined || event.target.tagName !== "BUTTON") return;
  const buttons = [...at("events").tBodies[0].querySelectorAll("button")];
  const next = buttons[buttons.indexOf(event.target) + step];
  if (!next) return;
  event.preventDefault();
  event.target.tabIndex = -1;
  next.tabIndex = 0;
  current = Number(next.id.replace("event-", ""));
  next.focus();
}

/** showEvents shows events, and which of them did not verify. */
export function showEvents(events, faults) {
  newest = events;
  broken = new Set(faults.map((f) => f.sequence));
  renderEvents();
}
