// The audit events: the loaded ones, those of them that a filter lets through,
// and all that an event says.
import { at, button, element, replace, short, time, visible } from "./elements.js";
import { Malformed, read } from "./calls.js";
import { isObject, Plain } from "./shape.js";
import { sequenceOf } from "./verify.js";

const windowSize = 200; // of the newest events that are always loaded
const most = 5000; // that are loaded at once

let older = []; // before the newest window; loaded because somebody asked for them
let newest = []; // as they came last, each as [view] shows it
let broken = new Set(); // places in the list of faults
const opened = new Set(); // keys of events whose details are shown
let current = ""; // the key of the one event that the tab key reaches; the arrow keys go on from it

/** loadEvents reads the newest events, and puts those before them that were asked
 * for, without a gap. What it returns can have any form: whether the answer is a
 * window of a log is for verify to say. */
export async function loadEvents() {
  let audit;
  try {
    audit = await read(`api/v1/audit/events?limit=${windowSize}`);
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
  }
  if (!isObject(audit)) return {};
  const first = sequenceOf(audit.events?.[0]);
  if (Array.isArray(audit.events) && first !== undefined) audit.events = [...(await before(first)), ...audit.events];
  return audit;
}

/** before are the older events up to the first of the newest ones; none if those
 * between do not come, so that the newest ones are verified all the same. */
async function before(first) {
  try {
    while (sequenceOf(older.at(-1)) < first - 1) {
      const from = sequenceOf(older.at(-1)) + 1;
      const to = Math.min(first - 1, from + 499);
      const events = await page(to, to - from + 1);
      if (sequenceOf(events.at(-1)) !== to) return [];
      older.push(...events);
    }
  } catch {
    return [];
  }
  return older.filter((e) => !(sequenceOf(e) >= first));
}

/** page reads some events up to one. */
async function page(to, limit) {
  const { events } = (await read(`api/v1/audit/events?to=${to}&limit=${limit}`)) ?? {};
  if (!Array.isArray(events)) throw new Plain(`the events up to ${to} did not come`);
  return events;
}

/** loadOlder reads the events before the loaded ones. */
export async function loadOlder() {
  const to = (newest[0]?.sequence ?? 1) - 1;
  if (to < 1) return;
  older = [...(await page(to, Math.min(windowSize, to))), ...older];
}

/** dropOlder goes back to the newest events. */
export function dropOlder() {
  older = [];
}

/** newestTransaction is the transaction of the newest loaded event that has one. */
export const newestTransaction = () => newest.findLast((event) => event.transaction !== "")?.transaction;

const none = "—"; // in place of a member that is not there, or that is no text

/** view is what the list shows of an event, whatever that is. */
function view(event, index) {
  const body = isObject(event) && isObject(event.body) ? event.body : {};
  const say = (value, absent = none) => (typeof value === "string" && value !== "" ? value : absent);
  const sequence = sequenceOf(event);
  return {
    event, index, sequence, key: String(sequence ?? `loaded-${index + 1}`), type: say(body.type), by: say(body.data?.by, ""),
    transaction: say(body.transaction_id, ""), at: say(body.occurred_at), hash: say(event?.hash),
  };
}

/** spelt is an event as JSON. One that is nested too deep for the browser has none. */
function spelt(event, ...layout) {
  try {
    return JSON.stringify(event, ...layout);
  } catch {
    return "This event is nested too deep to be shown.";
  }
}

function matches({ event }, words) {
  const text = spelt(event).toLowerCase();
  return words.every((word) => text.includes(word));
}

function row(v) {
  const isOpen = opened.has(v.key);
  const toggle = button(`event-${v.key}`, String(v.sequence ?? none), () => {
    if (!opened.delete(v.key)) opened.add(v.key);
    renderEvents();
  });
  toggle.setAttribute("aria-expanded", String(isOpen));
  toggle.tabIndex = v.key === current ? 0 : -1;
  toggle.setAttribute("aria-label", v.sequence === undefined ? `Details of loaded event ${v.index + 1}` : `Details of event ${v.sequence}`);
  return element("tr", broken.has(v.index) ? { class: "broken" } : {},
    element("td", { class: "number" }, toggle), element("td", {}, visible(v.type)), element("td", {}, visible(v.by)),
    element("td", {}, visible(v.transaction)), element("td", {}, time(v.at)), element("td", {}, short(v.hash)));
}

const details = (v) => element("tr", { class: "details" },
  element("td", { colspan: "6" }, element("pre", { tabindex: "0", id: `details-${v.key}` }, visible(spelt(v.event, null, 2)))));

/** renderEvents shows the loaded events that the filter lets through. Those that
 * did not verify are always shown. */
export function renderEvents() {
  const words = at("filter").value.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = newest.filter((v) => broken.has(v.index) || matches(v, words));
  if (!shown.some((v) => v.key === current)) current = shown.at(-1)?.key ?? "";
  const rows = shown.toReversed().flatMap((v) => (opened.has(v.key) ? [row(v), details(v)] : [row(v)]));
  replace(at("events").tBodies[0], ...rows);
  const [first, last] = [newest[0]?.sequence, newest.at(-1)?.sequence];
  const range = first === undefined || last === undefined ? "" : `, #${first} to #${last}`;
  at("events-count").textContent = newest.length === 0 ? "" : `${shown.length} of ${newest.length} loaded events${range}`;
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
  current = next.id.replace("event-", "");
  next.focus();
}

/** showEvents shows events, and which of them did not verify. */
export function showEvents(events, faults) {
  newest = Array.isArray(events) ? events.map(view) : [];
  broken = new Set(faults.map((f) => f.index));
  renderEvents();
}
