// The crosscheck (SPEC 13.3 to 13.6): what bundles, checkpoints, logs and copies of journals say of the same thing.

import { dirname } from 'node:path';
import { timeOf } from './kinds.mjs';
import { digest, linkHash } from './log.mjs';
import { TOLERANCE, nodeOfLog } from './walk.mjs';

const SETTLE = 10000; // SPEC 13.5, in milliseconds
// SPEC 4.4: the types of one kind of log.
const TENANT_TYPES = [
  'approval.recorded', 'decision.recorded', 'issuance.completed', 'certificate.revoked', 'node.reported', 'issuance.requested', 'issuance.paused',
  'break_glass.resume_requested', 'break_glass.resume_expired', 'issuance.resumed', 'issuance.denied', 'node.enrolled', 'node.disabled',
  'revocation.requested', 'integration.changed', 'service.claimed', 'policy.published', 'registry.published', 'key.rotated',
];
const NODE_TYPES = [
  'approval.signed', 'checkpoint.witnessed', 'capability.observed', 'policy.synced', 'approval.denied', 'decision.signed', 'identity.rotated',
  'export.configured',
];
// The kind of document that a type records, and the member of its data that names it.
const RECORDS = {
  'approval.signed': ['approval', 'approval_sha256'], 'approval.recorded': ['approval', 'approval_sha256'],
  'decision.recorded': ['decision', 'decision_sha256'], 'checkpoint.witnessed': ['checkpoint', 'checkpoint_sha256'],
  'capability.observed': ['capability', 'capability_evidence_sha256'], 'issuance.completed': ['manifest', 'manifest_sha256'],
  'certificate.revoked': ['manifest', 'manifest_sha256'],
};
const recorded = ({ body: { type, data } }) => (RECORDS[type] ? data[RECORDS[type][1]] : undefined);

/** documentsOf are what the documents of proven bundles and the checkpoints say of themselves, by digest. */
export function documentsOf(bundles, checkpoints) {
  const documents = new Map();
  for (const { manifest, parts, issuances: [issuance], bothDecisions } of bundles) {
    const about = { tenant: manifest.tenant_id, transaction_id: manifest.transaction_id, issued: issuance.body.sequence };
    documents.set(digest(manifest), { kind: 'manifest', transaction_id: manifest.transaction_id });
    const add = (kind, envelopes, rest) => envelopes.forEach((e) => documents.set(digest(e.statement), { kind, ...rest(e.statement) }));
    add('approval', parts.approvals, ({ node_id, decision }) => ({ ...about, node_id, decision }));
    add('decision', bothDecisions, ({ trust_domain, decision }) => ({ ...about, trust_domain, decision }));
    add('capability', parts.capability_evidence, ({ node_id }) => ({ node_id }));
  }
  for (const { statement } of checkpoints) {
    documents.set(digest(statement), { kind: 'checkpoint', sequence: statement.sequence, head_hash: statement.head_hash });
  }
  return documents;
}

/** Crosscheck compares the logs of one tenant, which are given by their ids, with each other, documents and proven bundles. */
export class Crosscheck {
  constructor(logs, anchorsOf, documents, bundles) {
    Object.assign(this, { logs, anchorsOf, documents, bundles, otherHeads: [] });
    this.tenant = [...logs.values()].find((log) => nodeOfLog(log.logId) === undefined);
  }

  run() {
    for (const log of this.logs.values()) {
      const journal = nodeOfLog(log.logId) !== undefined;
      const statements = log.statements.filter((copy) => this.isInItsLog(log, copy.event.body.type, journal));
      const compared = new Set(statements.filter((copy) => !this.contradicts(log, copy.event)));
      if (journal) this.judgeWitnesses(log, [...compared]);
      else this.judgeTransactions(log, statements, compared);
    }
    this.judgeOtherHeads();
    this.judgeRecords();
    this.bundles.forEach((bundle) => this.judgeBundle(bundle));
  }

  isInItsLog(log, type, journal) {
    if (!(journal ? TENANT_TYPES : NODE_TYPES).includes(type)) return true;
    log.codes.add('record.in-wrong-log');
    return false;
  }

  // contradicts compares a record with its document (SPEC 13.3).
  contradicts(log, { body: { type, data, transaction_id: transaction } }) {
    const document = this.documents.get(recorded({ body: { type, data } }));
    if (document === undefined) return false;
    const said = { ...data, node_id: data.node_id ?? nodeOfLog(log.logId), transaction_id: transaction };
    if (type === 'approval.signed') delete said.decision; // a denial has a code of its own
    const members = ['node_id', 'transaction_id', 'trust_domain', 'decision', 'sequence', 'head_hash'];
    const differs = (name) => said[name] !== undefined && document[name] !== undefined && said[name] !== document[name];
    if (document.kind === RECORDS[type][0] && !members.some(differs)) return false;
    log.codes.add('record.contradicts');
    return true;
  }

  // judgeTransactions is SPEC 4.4 over the tenant log. What contradicts its document is placed by its own transaction.
  judgeTransactions(log, statements, compared) {
    const [issued, revoked] = [new Map(), new Set()];
    let [paused, requests] = [false, 0];
    for (const copy of statements) {
      const { sequence, event: { body } } = copy;
      const { type, transaction_id: transaction, data } = body;
      if (['issuance.completed', 'certificate.revoked'].includes(type) && transaction === undefined) log.codes.add('record.without-transaction');
      if (type === 'issuance.completed') {
        if (issued.has(transaction)) log.codes.add('transaction.issued-twice');
        if (paused && log.isWholeUpTo(sequence)) log.codes.add('transaction.issued-while-paused');
        issued.set(transaction, sequence);
      } else if (type === 'certificate.revoked') {
        if (revoked.has(transaction)) log.codes.add('transaction.revoked-twice');
        revoked.add(transaction);
      } else if (['approval.recorded', 'decision.recorded'].includes(type)) {
        const known = this.documents.get(recorded({ body: { type, data } }));
        if (issued.has(transaction ?? (compared.has(copy) ? known?.transaction_id : ''))) log.codes.add('record.after-issuance');
      } else if (type === 'issuance.paused') {
        paused = true;
      } else if (type === 'break_glass.resume_requested') {
        requests++;
      } else if (type === 'break_glass.resume_expired' || type === 'issuance.resumed') {
        if (requests === 0 && type === 'issuance.resumed' && log.isWholeUpTo(sequence)) log.codes.add('break-glass.resume-without-request');
        requests = Math.max(0, requests - 1);
        paused = paused && type !== 'issuance.resumed';
      }
    }
  }

  // judgeWitnesses is SPEC 13.4; what contradicts its document is not looked at again.
  judgeWitnesses(log, statements) {
    let newest = { sequence: 0 };
    for (const { event: { body: { type, data } } } of statements.filter((copy) => copy.event.body.type === 'checkpoint.witnessed')) {
      if (data.sequence < newest.sequence || (data.sequence === newest.sequence && data.head_hash !== newest.head_hash)) log.codes.add('witness.regressed');
      else newest = data;
      const here = this.tenant?.held(data.sequence) ?? [];
      if (here.length > 0 && here.every((copy) => copy.hash !== data.head_hash)) this.otherHeads.push({ log, data });
    }
  }

  // judgeOtherHeads blames the tenant log for a head that the checkpoint or two nodes name, and otherwise nobody.
  judgeOtherHeads() {
    for (const { log, data } of this.otherHeads) {
      const same = this.otherHeads.filter((one) => one.data.sequence === data.sequence && one.data.head_hash === data.head_hash);
      const proven = same.some((one) => this.documents.get(one.data.checkpoint_sha256)?.kind === 'checkpoint');
      if (proven || same.some((one) => one.log !== log)) this.tenant.codes.add('witness.other-history');
      else [log, this.tenant].forEach((each) => each.codes.add('record.disputed'));
    }
  }

  /** find lists the genuine events of a type in a log that record a document. */
  find(logId, type, sha256) {
    return (this.logs.get(logId)?.statements ?? []).filter(({ event }) => event.body.type === type && recorded(event) === sha256);
  }

  isWholeAround(logId, at, margin) {
    return this.logs.get(logId)?.isWholeAround(at, margin, this.anchorsOf(logId)) ?? false;
  }

  // judgeRecords compares the two records of an approval that is not here (SPEC 13.3).
  judgeRecords() {
    const records = (log, type) => (log?.statements ?? []).filter(({ event }) => event.body.type === type && !this.documents.has(recorded(event)));
    const signed = [...this.logs.values()].flatMap((log) => records(log, 'approval.signed').map((copy) => ({ log, copy, node: nodeOfLog(log.logId) })));
    for (const copy of records(this.tenant, 'approval.recorded')) {
      const { body } = copy.event;
      const other = signed.filter((one) => recorded(one.copy.event) === recorded(copy.event));
      const agrees = ({ node, copy: { event } }) => node === body.data.node_id
        && (event.body.transaction_id ?? body.transaction_id) === (body.transaction_id ?? event.body.transaction_id);
      for (const one of other.filter((each) => !agrees(each))) {
        if (other.some(agrees) && one.node !== body.data.node_id) one.log.codes.add('record.contradicts');
        else [one.log, this.tenant].forEach((log) => log.codes.add('record.disputed'));
      }
      const journal = `node/${body.data.node_id}`;
      if (other.length === 0 && this.isWholeAround(journal, copy.at, 2 * TOLERANCE)) {
        [this.logs.get(journal), this.tenant].forEach((log) => log.codes.add('record.disputed'));
      }
    }
  }

  // judgeBundle is SPEC 13.5.
  judgeBundle(evidence) {
    const { parts, manifest, issuances: [issuance], revocations: [revocation], bothDecisions } = evidence;
    const tenant = `tenant/${manifest.tenant_id}`;
    const inJournal = (type, code, at) => ({ statement }) => this.want(`node/${statement.node_id}`, type, digest(statement), code, timeOf(statement[at]));
    parts.approvals.forEach(inJournal('approval.signed', 'statement.not-in-journal', 'decided_at'));
    parts.capability_evidence.forEach(inJournal('capability.observed', 'statement.not-in-journal', 'observed_at'));
    for (const { statement } of parts.witness_receipts) {
      this.want(`node/${statement.node_id}`, 'checkpoint.witnessed', statement.checkpoint_sha256, 'statement.not-in-journal', timeOf(statement.witnessed_at));
    }
    this.wantEvent(tenant, issuance, 'event.not-in-log');
    if (revocation) this.wantEvent(tenant, revocation, 'event.not-in-log');
    const log = this.logs.get(tenant);
    const whole = log?.isWholeUpTo(issuance.body.sequence) && log.held(issuance.body.sequence).some((copy) => copy.hash === linkHash({ event: issuance }));
    const below = (type, code) => ({ statement }) => {
      if (this.find(tenant, type, digest(statement)).length === 0) this.blame(tenant, whole ? code : 'statement.not-covered');
    };
    parts.approvals.forEach(below('approval.recorded', 'statement.not-in-log'));
    bothDecisions.forEach(below('decision.recorded', 'statement.not-in-log'));
    const withheld = ({ sequence, event: { body } }) => body.type === 'certificate.revoked' && body.transaction_id === manifest.transaction_id
      && sequence <= parts.checkpoint.statement.sequence;
    if (!revocation && (log?.statements ?? []).some(withheld)) this.blame(tenant, 'revocation.withheld');
  }

  want(logId, type, sha256, code, at) {
    const found = this.find(logId, type, sha256);
    if (found.some(({ event }) => event.body.data.decision === 'deny')) this.blame(logId, 'approval.denied-in-journal');
    else if (found.length === 0) this.blame(logId, this.isWholeAround(logId, at, SETTLE) ? code : 'statement.not-covered');
  }

  wantEvent(logId, event, code) {
    const held = this.logs.get(logId)?.held(event.body.sequence) ?? [];
    if (held.some((copy) => copy.hash === linkHash({ event }))) return;
    this.blame(logId, held.length > 0 ? code : 'statement.not-covered');
  }

  blame(logId, code) {
    (this.logs.get(logId)?.codes ?? this.codes).add(code);
  }

  codes = new Set(); // of logs that are not here
}

// copiesOf puts the journals among files together to copies (SPEC 13.6). Each has its files and the sequences that it holds.
function copiesOf(log, files) {
  const held = (file) => new Set(log.statements.map((copy) => copy.sequence).filter((n) => log.held(n).some((copy) => copy.file === file)));
  const journals = files.map((file) => ({ file, held: held(file) })).filter((one) => one.held.size > 0);
  const isPartOf = (one, other) => other.held.size > one.held.size && [...one.held].every((n) => other.held.has(n));
  const copies = [];
  for (const one of journals) {
    const meets = (copy) => [...one.held].some((n) => copy.held.has(n));
    const excerpt = journals.some((other) => isPartOf(one, other));
    const of = copies.find((copy) => copy.files.some((file) => dirname(file.path) === dirname(one.file.path)))
      ?? (excerpt ? undefined : copies.find((copy) => !meets(copy)));
    if (of === undefined) {
      copies.push({ files: [one.file], held: one.held });
    } else {
      of.files.push(one.file);
      one.held.forEach((n) => of.held.add(n));
    }
  }
  return copies;
}

/** judgeCopies is SPEC 13.6, for journals: what every copy must hold between two events, and the one that goes furthest from the first one on. */
export function judgeCopies(log, files) {
  const copies = copiesOf(log, files.filter((file) => file.events.some(({ body }) => body.log_id === log.logId)));
  const all = [...new Set(log.statements.map((copy) => copy.sequence))];
  const last = (copy) => Math.max(...copy.held);
  const [furthest] = copies.toSorted((a, b) => last(b) - last(a) || b.held.size - a.held.size);
  for (const copy of copies) {
    const first = Math.min(...copy.held);
    const has = (n) => copy.held.has(n) || log.copies.get(n).some(({ file }) => copy.files.includes(file)); // an altered one is no lack
    const lacks = all.filter((n) => !has(n) && n < last(copy) && (n > first || copy === furthest));
    if (lacks.length > 0 && copy.files.every((file) => file.unread === 0)) log.codes.add('journal.lacks-events');
  }
}

/** isAlteredInOneStore tells whether a folder holds an altered copy of an event, and another one the genuine event (SPEC 13.1). */
export function isAlteredInOneStore(log) {
  return log.sequences.some((n) => {
    const genuine = new Set(log.held(n).map((copy) => dirname(copy.file.path)));
    return genuine.size > 0 && log.copies.get(n).some((copy) => !copy.valid && [...genuine].some((folder) => folder !== dirname(copy.file.path)));
  });
}
