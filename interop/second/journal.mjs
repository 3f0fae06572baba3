// Reads the files of a case of whole logs (SPEC 4.5, 13): journals, bundles, and checkpoints that stand alone.

import { checkpointFaults, eventFaults } from './form.mjs';
import { Ambiguous, Fault, readJson } from './json.mjs';

const MEMBERS = ['body', 'previous_hash', 'skip_hash', 'hash', 'key_id', 'signature']; // of an event (SPEC 4.2)
// SPEC 4.5: the traces of an event. One of the first two must be among four of them.
const TRACES = ['previous_hash', 'skip_hash', 'occurred_at', 'log_id', 'key_id', 'signature', 'tenant_id', 'salt'];

function hasTraces(line) {
  const found = TRACES.map((name) => line.includes(name));
  return line.includes('svc.audit-event.v1') || ((found[0] || found[1]) && found.filter(Boolean).length >= 4);
}

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

function parsed(line) {
  try {
    return { value: JSON.parse(line) };
  } catch {
    return {};
  }
}

// readLine returns { event } of a line that is one, { code } of a fault, { unread: true } of what may have been an event, {} otherwise.
function readLine(octets) {
  const line = octets.toString('utf8');
  let event;
  try {
    event = readJson(octets, true);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const { value } = parsed(line);
    const ambiguous = error instanceof Ambiguous;
    if (ambiguous && isObject(value) && MEMBERS.every((name) => name in value)) return { code: 'event.ambiguous', unread: true };
    const torn = value === undefined && line.trimStart().startsWith('{');
    return { unread: torn || hasTraces(line) || (ambiguous && error.message.includes('twice')) };
  }
  if (!isObject(event) || !isObject(event.body) || event.body.protocol !== 'svc.audit-event.v1') return { unread: hasTraces(line) };
  return eventFaults(event).length > 0 ? { code: 'event.malformed', unread: true } : { event };
}

function linesOf(octets) {
  const lines = [];
  for (let from = octets.subarray(0, 3).toString('latin1') === '\xef\xbb\xbf' ? 3 : 0; from < octets.length;) {
    const end = octets.indexOf(10, from);
    const line = octets.subarray(from, end < 0 ? octets.length : end);
    if (line.toString('latin1').trim() !== '') lines.push(line);
    from = end < 0 ? octets.length : end + 1;
  }
  return lines;
}

// documentOf returns a bundle or a checkpoint that is all of a file, undefined for other files.
function documentOf(path, octets) {
  const { value } = parsed(octets.toString('utf8'));
  if (!isObject(value)) return undefined;
  if (value.protocol === 'svc.evidence-bundle.v1') return { path, bundle: octets };
  const isCheckpoint = isObject(value.statement) && String(value.statement.protocol).startsWith('svc.audit-checkpoint.');
  if (!isCheckpoint) return undefined;
  return checkpointFaults(value).length > 0 ? { path, malformed: true } : { path, checkpoint: value };
}

/**
 * readFile returns { path, bundle }, { path, checkpoint }, { path, malformed } or { path, events, codes, unread, torn }: the events of a journal, the codes of the
 * faults of its lines, how many spans may have been events and were not read, and whether the last line is torn.
 */
export function readFile(path, octets) {
  const document = documentOf(path, octets);
  if (document) return document;
  const file = { path, events: [], codes: [], unread: 0, torn: false };
  for (const line of linesOf(octets)) {
    const { event, code, unread } = readLine(line);
    if (event) file.events.push(event);
    if (code) file.codes.push(code);
    if (unread) file.unread++;
  }
  file.torn = file.events.length > 0 && octets.at(-1) !== 10;
  return file;
}
