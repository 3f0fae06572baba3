// Re-hashes audit events in the browser, docs/spec.md sections 1.3 and 4.
//
// Nothing here asks the server whether an event is right: it takes the events
// as they came, and the browser's own SHA-256.

import { isObject } from "./shape.js";

/** unverified is the label of a chain that does not hold, or that is none. */
export const unverified = "Audit chain could not be verified";

const text = new TextEncoder();

/** canonical returns the RFC 8785 form of a parsed document (integers only). */
export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  // Without a comparison function, sort orders by UTF-16 code units, as RFC 8785 does.
  const members = Object.keys(value).sort().map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`);
  return `{${members.join(",")}}`;
}

/** skip is the sequence to which the skip link of event n leads. */
export function skip(n) {
  let run = 1; // the length of the longest complete run of at most n events
  while (3 * run + 1 <= n) run = 3 * run + 1;
  if (n === run) return n === 1 ? 0 : (n - 1) / 3;
  // The rest is a run of its own, which ends before or at n.
  let rest = n;
  while (run > 0) {
    while (rest > run) rest -= run;
    if (rest === run) return n - rest;
    run = (run - 1) / 3;
  }
  return n - 1;
}

const hex = (bytes) => Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("");

function unhex(digits) {
  return Uint8Array.from(digits.match(/../g), (pair) => parseInt(pair, 16));
}

async function sha256(...parts) {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const all = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return new Uint8Array(await crypto.subtle.digest("SHA-256", all));
}

/** genesis is hash(0) of a log. */
export async function genesis(tenantID, logID) {
  return hex(await sha256(text.encode("svc.audit-genesis.v1\0"), text.encode(canonical({ tenant_id: tenantID, log_id: logID }))));
}

/** hashOf computes the hash of an event from its body and its links. */
export async function hashOf(event) {
  const sequence = new Uint8Array(8);
  new DataView(sequence.buffer).setBigUint64(0, BigInt(event.body.sequence));
  const body = await sha256(text.encode(canonical(event.body)));
  return hex(await sha256(text.encode("svc.audit-link.v1\0"), sequence, unhex(event.previous_hash), unhex(event.skip_hash), body));
}

/** sequenceOf is the sequence of an event, undefined if it has none. */
export const sequenceOf = (event) => (Number.isSafeInteger(event?.body?.sequence) && event.body.sequence > 0 ? event.body.sequence : undefined);

const deepest = 32; // levels of a document, docs/spec.md section 1.1

/** strange says what of a document has no canonical form, "" if nothing. */
function strange(value, level = 1) {
  if (typeof value === "number") return Number.isSafeInteger(value) ? "" : "it has a number that is not whole, or too large";
  if (typeof value !== "object" || value === null) return "";
  if (level > deepest) return "it is nested too deep";
  for (const member of Object.values(value)) {
    const why = strange(member, level + 1);
    if (why !== "") return why;
  }
  return "";
}

/** unsound says why something cannot be hashed as an event, "" if it can. */
function unsound(event) {
  if (!isObject(event) || !isObject(event.body)) return "it is no event";
  if (sequenceOf(event) === undefined) return "its sequence is no whole number from 1";
  for (const name of ["tenant_id", "log_id"]) if (typeof event.body[name] !== "string") return `its ${name} is no text`;
  for (const name of ["previous_hash", "skip_hash"]) {
    if (typeof event[name] !== "string" || !/^[0-9a-f]{64}$/.test(event[name])) return `its ${name} is no digest`;
  }
  return strange(event);
}

/** fault says that one of the loaded events does not hold, or the answer as a whole. */
const fault = (index, sequence, detail) => ({ index, sequence, detail });

/** placeOf says where a fault is. */
export const placeOf = ({ index, sequence }) => {
  if (sequence !== undefined) return `#${sequence}`;
  return index === undefined ? "the answer" : `loaded event ${index + 1}`;
};

/**
 * verify re-hashes a window of ascending events of one log that should end at
 * the reported head. It returns { label, from, to, faults }, with one of the
 * labels of the audit chain. Both can be anything: an answer that is no window of
 * events is one that could not be verified.
 */
export async function verify(events, head) {
  if (!Array.isArray(events)) return { label: unverified, faults: [fault(undefined, undefined, "it has no list of events")] };
  const reported = isObject(head) && Number.isSafeInteger(head.sequence) && head.sequence >= 0 ? head.sequence : undefined;
  if (events.length === 0 && reported === 0) return { label: "No audit events yet", faults: [] };
  const faults = [];
  const hashes = new Map(); // computed, by sequence
  let last = null;
  for (const [index, event] of events.entries()) {
    const why = unsound(event);
    if (why !== "") {
      faults.push(fault(index, sequenceOf(event), `cannot be hashed: ${why}`));
      continue;
    }
    const hash = await hashOf(event);
    faults.push(...(await check(event, hash, hashes, last)).map((detail) => fault(index, event.body.sequence, detail)));
    hashes.set(event.body.sequence, hash);
    last = event;
  }
  const from = sequenceOf(events[0]) ?? 0;
  const to = last?.body.sequence ?? 0;
  if (reported === undefined) {
    faults.push(fault(undefined, undefined, "it does not report a head"));
  } else if (to !== reported || hashes.get(to) !== head.hash) {
    faults.push(fault(last ? events.lastIndexOf(last) : undefined, to, `the window does not end at the reported head, ${reported}`));
  }
  if (faults.length > 0) return { label: unverified, from, to, faults };
  return { label: from === 1 ? "Chain verified from genesis" : "Recent events verified", from, to, faults };
}

/** check compares one event with its computed hash and with what came before, and
 * says what differs. */
async function check(event, hash, hashes, last) {
  const faults = [];
  const n = event.body.sequence;
  const differs = (detail) => faults.push(detail);
  if (hash !== event.hash) differs("its hash is another one than it says");
  if (last && n !== last.body.sequence + 1) differs(`it follows event ${last.body.sequence}`);
  if (last && event.body.log_id !== last.body.log_id) differs("it is of another log");
  hashes.set(0, await genesis(event.body.tenant_id, event.body.log_id));
  for (const [link, to] of [["previous_hash", n - 1], ["skip_hash", skip(n)]]) {
    const known = hashes.get(to);
    if (known !== undefined && known !== event[link]) differs(`its ${link} does not name event ${to}`);
  }
  return faults;
}
