// Packs (SPEC 22). Run it as: node pack.mjs DIR; it judges every case in the folders of a directory, which have pack.jsonl, trust.json and case.json
// (for the name), and prints one line of JSON for each.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Evidence, sectionOf } from './evidence.mjs';
import { MAX_BUNDLE, PARTS, event, readTrust, redacted as link } from './form.mjs';
import { Fault, canonical, isBlank, readJson } from './json.mjs';
import { casesBelow } from './cases.mjs';
import { Report, hash, identifier, integer, list, logId, object, octets, subject, word } from './kinds.mjs';
import { digest, genesis, linkHash, sequenceOf, sha256, skip, way } from './log.mjs';
import { examine, mayBeGood } from './verify.mjs';
import { nodeOfLog, ownKey, reportOf, signs } from './walk.mjs';

const MAX_FILE = 268435456; // SPEC 22.1
const MAX_LINE = 25165824;
const LINE_FEED = 10;
const HASH_LINK = { sequence: integer(1), previous_hash: hash, skip_hash: hash, body_sha256: hash };
const LOG = { tenant_id: subject, log_id: logId };
const inOrder = (_, i) => i; // of a list whose order nothing says

// SPEC 22.1 and 22.4: the members of lines in their order. What stands in a history has its rank.
const FORMS = {
  pack: object({
    protocol: word('svc.pack.v1'), trust_sha256: hash, verdict: word('verified', 'rejected', 'inconclusive'),
    findings: list(object({ code: identifier, ...LOG, sequence: integer(1), last_sequence: integer(1) }), { key: inOrder }),
    sources: list(hash, { most: 65536 }),
  }),
  proof: object({ document: octets(1, MAX_BUNDLE), sha256: hash }),
  checkpoint: object({ checkpoint: PARTS.checkpoint, witness_receipts: PARTS.witness_receipts }),
  history: object(LOG),
  disclosed: event,
  redacted: object({ ...HASH_LINK, key_id: identifier, signature: octets(64) }),
  link,
  end: object({ sha256: hash }),
};
const RANKS = { pack: 0, proof: 1, checkpoint: 2, history: 3, disclosed: 3, redacted: 3, link: 3, end: 4 };
const IN_HISTORY = ['disclosed', 'redacted', 'link'];
const KEYS = { proof: ({ sha256: own }) => own, checkpoint: ({ checkpoint: { statement } }) => digest(statement) };
// The code of a fault of form by what the kinds say of it.
const CODES = [[/unknown member$/, 'form.unknown-member'], [/order$/, 'form.unordered'], [/not svc\.[^/]*$/, 'form.unknown-protocol'],
  [/too long$/, 'form.too-large'], [/base64url/, 'file.malformed']];

/** Refused is a fault of form, after which a pack is not read on. */
class Refused extends Fault {
  constructor(code, line) {
    super(`line ${line}: ${code}`);
    Object.assign(this, { code, line });
  }
}

// readLines is SPEC 22.1: the lines as { name, value, line, from }, from being where a line begins.
function readLines(octets) {
  const lines = [];
  for (let from = 0; from < octets.length;) {
    const line = lines.length + 1;
    const end = octets.indexOf(LINE_FEED, from);
    if ((end < 0 ? octets.length : end) - from > MAX_LINE) throw new Refused('form.too-large', line);
    if (end < 0) throw new Refused('file.malformed', line);
    lines.push({ ...readLine(octets.subarray(from, end), line), line, from });
    checkPlace(lines.at(-1), lines.at(-2), end + 1 === octets.length);
    from = end + 1;
  }
  if (lines.at(-1).name !== 'end') throw new Refused('file.malformed', lines.length + 1);
  return lines;
}

function readLine(octets, line) {
  let object;
  try {
    object = readJson(octets);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    if (isBlank(octets)) throw new Refused('json.empty', line);
    throw new Refused(error.message.includes('too deep') ? 'form.too-large' : 'json.syntax', line);
  }
  const [name, ...others] = typeof object === 'object' && !Array.isArray(object) ? Object.keys(object) : [];
  if (name === undefined || others.length > 0 || !Object.hasOwn(FORMS, name)) throw new Refused('file.malformed', line);
  const report = new Report();
  FORMS[name](object[name], '', report);
  const [fault] = [...report.hard, ...report.soft];
  if (fault !== undefined) throw new Refused(CODES.find(([pattern]) => pattern.test(fault))?.[1] ?? 'form.bad-value', line);
  if (!octets.equals(Buffer.from(canonical(object)))) throw new Refused('form.not-canonical', line);
  return { name, value: object[name] };
}

// checkPlace is the order of the lines: whether one may stand below another, and whether it is the last.
function checkPlace({ name, value, line }, before, isLast) {
  const isBelow = before ? RANKS[before.name] <= RANKS[name] && name !== 'pack' : name === 'pack';
  const isInHistory = !IN_HISTORY.includes(name) || RANKS[before?.name] === RANKS.history;
  const ascends = before?.name !== name || !KEYS[name] || KEYS[name](before.value) < KEYS[name](value);
  const isTenantLog = ({ log_id: log, tenant_id: tenant }) => log === `tenant/${tenant}`;
  const isOfLog = name === 'history' ? nodeOfLog(value.log_id) !== undefined || isTenantLog(value)
    : name !== 'checkpoint' || isTenantLog(value.checkpoint.statement);
  const isWitnessed = name !== 'checkpoint' || value.checkpoint.statement.required_witnesses !== undefined || value.witness_receipts.length === 0;
  const isEnd = name !== 'end' || isLast;
  if (![isBelow, isInHistory, ascends, isOfLog, isWitnessed, isEnd].every(Boolean)) throw new Refused('file.malformed', line);
}

// Judge judges the lines of a pack under a trust file (SPEC 22.3).
class Judge {
  faults = [];
  checkpoints = [];
  histories = [];

  constructor(lines, octets, trustFile) {
    Object.assign(this, { lines, octets, trustFile, trust: readTrust(trustFile) });
    this.evidence = new Evidence({}, this.trust, {});
  }

  fault(code, line) {
    this.faults.push({ code, line });
  }

  run() {
    for (const one of this.lines) {
      if (one.name === 'proof') this.proof(one);
      else if (one.name === 'checkpoint') this.checkpoint(one);
      else if (one.name === 'history') this.histories.push({ ...one, log: one.value, entries: [] });
      else if (IN_HISTORY.includes(one.name)) this.histories.at(-1).entries.push(one);
    }
    this.histories.forEach((history) => this.history(history));
    const end = this.lines.at(-1);
    if (sha256(this.octets.subarray(0, end.from)) !== end.value.sha256) this.fault('file.malformed', end.line);
  }

  proof({ value: { document: text, sha256: own }, line }) {
    const document = Buffer.from(text, 'base64url');
    if (sha256(document) !== own) this.fault('file.malformed', line);
    else if (examine(document, this.trustFile).verdict !== 'verified') this.fault(mayBeGood(document, this.trustFile) ? 'bundle.key-unknown' : 'bundle.rejected', line);
  }

  checkpoint({ value: { checkpoint, witness_receipts: receipts }, line }) {
    const { statement } = checkpoint;
    const codes = [checkpoint, ...receipts].map((envelope) => this.opening(envelope)).filter(Boolean);
    const named = ['tenant_id', 'log_id', 'sequence', 'head_hash'];
    for (const receipt of receipts.map((envelope) => envelope.statement)) {
      if (receipt.checkpoint_sha256 !== digest(statement) || named.some((name) => receipt[name] !== statement[name])) codes.push('link.differs');
    }
    codes.forEach((code) => this.fault(code, line));
    if (!this.opening(checkpoint)) this.checkpoints.push({ statement, receipts });
  }

  // opening returns the code of why an envelope does not open (SPEC 3.3), undefined if it does.
  opening(envelope) {
    const { statement, key_id: id } = envelope;
    if (this.evidence.open(envelope) !== undefined) return undefined;
    return Object.hasOwn(this.trust[sectionOf(statement)], id) ? 'signature.invalid' : 'signature.key-unknown';
  }

  // history judges one history from above. Below an entry without a place, it is not judged.
  history({ log, line, entries }) {
    const hashes = new Map([[0, genesis(log.tenant_id, log.log_id)]]);
    for (const [i, entry] of entries.entries()) {
      if (!isInPlace(entries, i, hashes)) return this.fault('path.wrong-step', entry.line);
      this.entry(entry, i === 0, log, hashes);
    }
    if (!isChosen(entries.at(-1))) this.fault('part.missing', (entries.at(-1)?.line ?? line) + 1);
    return undefined;
  }

  // entry is 1 to 3 of SPEC 22.3 for an entry in its place. The hashes are those that the lines above name.
  entry(entry, isFirst, log, hashes) {
    const { tenant_id: tenant, log_id: id } = entry.value.body ?? log;
    if (tenant !== log.tenant_id || id !== log.log_id) this.fault('link.differs', entry.line);
    const [n, own] = [sequence(entry), hashOf(entry)];
    const prove = (older, named) => (hashes.has(older) ? hashes.get(older) === named : Boolean(hashes.set(older, named)));
    const isRight = (entry.value.hash ?? own) === own && (isFirst || hashes.get(n) === own);
    const named = [prove(n - 1, entry.value.previous_hash), prove(skip(n), entry.value.skip_hash)];
    if (!isRight || named.includes(false)) this.fault('path.hash-mismatch', entry.line);
    if (isChosen(entry)) this.sign(entry, log, own);
  }

  // sign judges the signature of a chosen event, and notes whether it opens.
  sign(entry, log, own) {
    const { key_id: id, signature } = entry.value;
    const key = ownKey(this.trust, log.log_id, id);
    entry.opens = Boolean(key) && signs(key, own, signature);
    if (key === undefined) this.fault('signature.key-unknown', entry.line);
    else if (key === null) this.fault('signature.key-of-other-node', entry.line);
    else if (!entry.opens) this.fault('signature.invalid', entry.line);
  }

  // shown is "What is shown" of SPEC 22.3.
  shown() {
    const { seen, names } = this.statements();
    const isShown = ({ log, entries }) => entries.some((entry) =>
      isChosen(entry) && ((entry.opens && (entry.name === 'disclosed' || sequence(entry) === 1)) || names.has(nameOf(log, entry))));
    const histories = this.histories.filter(isShown);
    return {
      seen: this.histories.flatMap((history) => {
        const entry = history.entries.find((one) => isChosen(one) && seen.has(nameOf(history.log, one)));
        return entry ? [`${history.log.log_id} ${sequence(entry)} ${seen.get(nameOf(history.log, entry))}`] : [];
      }),
      contradictions: this.contradictions(histories),
    };
  }

  // statements returns what checkpoints, reports and journals name: how those are called that show that others saw it, and all.
  statements() {
    const [seen, names] = [new Map(), new Set()];
    const say = (name, by) => names.add(name) && by && !seen.has(name) && seen.set(name, by);
    for (const { statement, receipts } of this.checkpoints) {
      const quorum = Math.max(1, this.trust.minimum_audit_witnesses, statement.required_witnesses ?? 0);
      const isSeen = receipts.every((receipt) => !this.opening(receipt)) && this.evidence.isQuorum(receipts, quorum); // SPEC 5.3: none is skipped over
      say(naming(statement, statement.sequence, statement.head_hash), isSeen && 'witnessed-checkpoint');
    }
    for (const { tenantId, logId: id, sequence: n, hash: head } of this.reports) say(naming({ tenant_id: tenantId, log_id: id }, n, head), 'node-report');
    const nodes = new Map();
    for (const { body: { tenant_id: tenant, log_id: id, data } } of this.stated('checkpoint.witnessed')) {
      if (nodeOfLog(id) === undefined) continue;
      const name = naming({ tenant_id: tenant, log_id: `tenant/${tenant}` }, data.sequence, data.head_hash);
      nodes.set(name, (nodes.get(name) ?? new Set()).add(id));
    }
    for (const [name, of] of nodes) say(name, of.size >= Math.max(1, this.trust.minimum_audit_witnesses) && 'journal-witness');
    return { seen, names };
  }

  // stated are the disclosed events of a type whose signature opens.
  stated(type) {
    const all = this.histories.flatMap(({ entries }) => entries.filter(({ name, opens }) => name === 'disclosed' && opens));
    return all.map((entry) => entry.value).filter(({ body }) => body.type === type);
  }

  get reports() {
    const inTenantLog = this.stated('node.reported').filter(({ body }) => nodeOfLog(body.log_id) === undefined);
    return inTenantLog.map((one) => reportOf(one, this.trust).anchor).filter(Boolean);
  }

  contradictions(histories) {
    const heads = new Map();
    const add = ({ tenant_id: tenant, log_id: id }, n, head) => {
      const place = canonical([tenant, id, n]);
      heads.set(place, (heads.get(place) ?? new Set()).add(head));
    };
    for (const { log, entries } of histories) entries.filter(({ opens }) => opens).forEach((entry) => add(log, sequence(entry), hashOf(entry)));
    for (const { statement } of this.checkpoints) add(statement, statement.sequence, statement.head_hash);
    for (const { tenantId, logId: id, sequence: n, hash: head } of this.reports) add({ tenant_id: tenantId, log_id: id }, n, head);
    return [...heads].filter(([, of]) => of.size > 1).map(([place]) => JSON.parse(place).slice(1).join(' ')).sort();
  }
}

// isInPlace tells whether a line above names the sequence of an entry, and whether the links from the chosen event above to one that is chosen are the
// way (SPEC 22.2).
function isInPlace(entries, i, hashes) {
  const entry = entries[i];
  if (i === 0) return isChosen(entry);
  const n = sequence(entry);
  if (!(n < sequence(entries[i - 1])) || !hashes.has(n)) return false;
  if (!isChosen(entry)) return true;
  const above = entries.findLastIndex((one, at) => at < i && isChosen(one));
  const steps = way(sequence(entries[above]), n);
  return steps.length === i - above + 1 && steps.every((step, k) => step === sequence(entries[above + k]));
}

const isChosen = (entry) => entry?.name === 'disclosed' || entry?.name === 'redacted';
const linkOf = ({ name, value }) => (name === 'disclosed' ? { event: value } : value);
const sequence = (entry) => sequenceOf(linkOf(entry));
const hashOf = (entry) => linkHash(linkOf(entry));
const naming = ({ tenant_id: tenant, log_id: id }, n, head) => `${tenant} ${id} ${n} ${head}`;
const nameOf = (log, entry) => naming(log, sequence(entry), hashOf(entry));

/**
 * judge returns { verdict, disclosed, redacted, seen, contradictions } of the octets of a pack under those of a trust file, and { finding, line } of its
 * first fault. What is shown is left out where the pack is rejected.
 */
export function judge(octets, trustFile) {
  if (octets.length > MAX_FILE) return { verdict: 'rejected', finding: 'form.too-large', line: 0 };
  if (isBlank(octets)) return { verdict: 'inconclusive', finding: 'json.empty', line: 0 };
  let lines;
  try {
    lines = readLines(octets);
  } catch (error) {
    if (error instanceof Refused) return { verdict: 'rejected', finding: error.code, line: error.line };
    throw error;
  }
  const judged = new Judge(lines, octets, trustFile);
  judged.run();
  const [first] = judged.faults.sort((a, b) => a.line - b.line);
  const count = (wanted) => lines.filter(({ name }) => name === wanted).length;
  const [disclosed, redacted, proofs] = ['disclosed', 'redacted', 'proof'].map(count);
  const isOpen = judged.faults.every(({ code }) => code.endsWith('.key-unknown'));
  if (!isOpen) return { verdict: 'rejected', finding: first.code, line: first.line };
  const answer = { disclosed, redacted, ...judged.shown() };
  if (first) return { verdict: 'inconclusive', finding: first.code, line: first.line, ...answer };
  if (disclosed + redacted + proofs === 0) return { verdict: 'inconclusive', ...answer };
  return { verdict: 'verified', ...answer };
}

/** judgeCase returns { name, expect, answer } of the case in a folder. */
export function judgeCase(folder) {
  const [octets, trust, text] = ['pack.jsonl', 'trust.json', 'case.json'].map((file) => readFileSync(join(folder, file)));
  const { name, expect } = JSON.parse(text);
  return { name, expect, answer: judge(octets, trust) };
}

function main([folder]) {
  for (const path of casesBelow(folder)) {
    const { name, answer } = judgeCase(path);
    console.log(JSON.stringify({ name, ...answer }));
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main(process.argv.slice(2));
