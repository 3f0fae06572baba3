// Re-hashes audit events in the browser, docs/spec.md sections 1.3 and 4.
//
// Nothing here asks the server whether an event is right: it takes the events
// as they came, and the browser's own SHA-256.

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
  if (!/^[0-9a-f]{64}$/.test(digits)) throw new Error("no digest");
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

/** fault says that one event does not hold. */
const fault = (sequence, detail) => ({ sequence, detail });

/**
 * verify re-hashes a window of ascending events of one log that should end at
 * the reported head. It returns { label, from, to, faults }, with one of the
 * labels of the audit chain.
 */
export async function verify(events, head) {
  if (events.length === 0 && head.sequence === 0) return { label: "No audit events yet", faults: [] };
  const faults = [];
  const hashes = new Map(); // computed, by sequence
  let last = null;
  for (const event of events) {
    let hash;
    try {
      hash = await hashOf(event);
    } catch (error) {
      faults.push(fault(event?.body?.sequence ?? "?", `cannot be hashed: ${error.message}`));
      continue;
    }
    faults.push(...(await check(event, hash, hashes, last)));
    hashes.set(event.body.sequence, hash);
    last = event;
  }
  const from = events[0]?.body?.sequence ?? 0;
  const to = last?.body?.sequence ?? 0;
  if (to !== head.sequence || hashes.get(to) !== head.hash) {
    faults.push(fault(to, `the window does not end at the reported head, ${head.sequence}`));
  }
  if (faults.length > 0) return { label: "Audit chain could not be verified", from, to, faults };
  return { label: from === 1 ? "Chain verified from genesis" : "Recent events verified", from, to, faults };
}

/** check compares one event with its computed hash and with what came before. */
async function check(event, hash, hashes, last) {
  const faults = [];
  const n = event.body.sequence;
  const differs = (detail) => faults.push(fault(n, detail));
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
