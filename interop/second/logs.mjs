// Whole logs (SPEC 13). Run it as: node logs.mjs DIR; it judges every case in the folders of a directory, which have case.json, trust.json and
// a folder evidence, and prints one line of JSON for each.

import { readFileSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Crosscheck, documentsOf, isAlteredInOneStore, judgeCopies } from './crosscheck.mjs';
import { readTrust } from './form.mjs';
import { readFile } from './journal.mjs';
import { casesBelow } from './cases.mjs';
import { digest } from './log.mjs';
import { examine } from './verify.mjs';
import { Walk, checkpointAnchor, reportOf } from './walk.mjs';

// SPEC 13: the faults that leave a verdict open, and those that leave that of the log as it is.
const OPEN = new Set([
  'event.key-unknown', 'event.malformed', 'chain.gap-unread', 'chain.gap-between-copies', 'journal.head-missing', 'journal.tail-missing',
  'journal.tail-unread', 'journal.absent', 'record.disputed',
  'checkpoint.under-quorum', 'anchor.key-unknown', 'report.key-unknown', 'bundle.key-unknown', 'statement.not-covered', 'walk.nothing-examined',
  'document.malformed',
]);
const NOT_OF_LOG = new Set(['event.altered-copy', 'event.ambiguous', 'event.malformed', 'journal.lacks-events', 'source.altered', 'source.disagrees']);

const verdictOf = (codes, open) => {
  if (codes.some((code) => !OPEN.has(code))) return 'rejected';
  return open || codes.length > 0 ? 'inconclusive' : 'verified';
};

/** judge returns { verdict, codes, logs } of files, a map from paths to octets, under the octets of a trust file. */
export function judge(files, trustFile) {
  const trust = readTrust(trustFile);
  const read = [...files].map(([path, octets]) => readFile(path, octets));
  const journals = read.filter((file) => file.events);
  const logs = new Map();
  const walkOf = (tenant, id) => logs.get(id) ?? logs.set(id, new Walk(tenant, id, trust)).get(id);
  for (const file of journals) {
    for (const event of file.events) {
      const { tenant_id: tenant, log_id: id } = event.body;
      walkOf(tenant, id).add(event, file);
    }
  }
  const codes = new Set(journals.flatMap((file) => file.codes));
  const { bundles, documents, anchors } = readDocuments(read, trust, trustFile, codes, walkOf);
  for (const log of logs.values()) {
    const reports = log.statements.filter((copy) => copy.event.body.type === 'node.reported').map((copy) => reportOf(copy.event, trust));
    for (const { anchor, code } of reports) {
      if (anchor) anchors.push(anchor);
      else log.codes.add(code);
    }
  }
  anchors.forEach((anchor) => walkOf(anchor.tenantId, anchor.logId));
  const anchorsOf = (id) => anchors.filter((anchor) => anchor.logId === id);
  for (const log of logs.values()) {
    log.judge(anchorsOf(log.logId));
    judgeCopies(log, journals);
    if (isAlteredInOneStore(log)) log.codes.add('source.altered');
  }
  const crosscheck = new Crosscheck(logs, anchorsOf, documents, bundles);
  crosscheck.run();
  if (logs.size === 0) codes.add('walk.nothing-examined');
  const all = [...new Set([...codes, ...crosscheck.codes, ...[...logs.values()].flatMap((log) => [...log.codes])])].sort();
  const ofLog = (log) => [...log.codes].filter((code) => !NOT_OF_LOG.has(code));
  return {
    verdict: verdictOf(all, journals.some((file) => file.unread > 0 || file.torn)), codes: all,
    logs: Object.fromEntries([...logs].map(([id, log]) => [id, verdictOf(ofLog(log), false)])),
  };
}

// readDocuments returns the proven bundles, what they and the checkpoints say of themselves, and their anchors.
function readDocuments(read, trust, trustFile, codes, walkOf) {
  const [bundles, checkpoints, anchors] = [[], [], []];
  if (read.some((file) => file.malformed)) codes.add('document.malformed');
  for (const { bundle, checkpoint } of read) {
    const { verdict, evidence } = bundle ? examine(bundle, trustFile, {}) : {};
    if (verdict === 'verified') bundles.push(evidence);
    else if (bundle) codes.add('bundle.rejected');
    const envelope = checkpoint ?? evidence?.parts.checkpoint;
    if (envelope === undefined) continue;
    const { code, anchor } = checkpointAnchor(envelope, trust);
    const log = walkOf(envelope.statement.tenant_id, envelope.statement.log_id);
    if (code) log.codes.add(code);
    else checkpoints.push(envelope) && anchors.push(anchor);
    if (anchor && bundle && !hasQuorum(evidence)) log.codes.add('checkpoint.under-quorum');
  }
  return { bundles, documents: documentsOf(bundles, checkpoints), anchors };
}

// hasQuorum tells whether enough of a bundle's receipts hold and are made for its checkpoint (SPEC 5.3).
function hasQuorum(evidence) {
  const { checkpoint: { statement }, witness_receipts: receipts = [] } = evidence.parts;
  const made = receipts.filter((receipt) => receipt.statement.checkpoint_sha256 === digest(statement));
  return evidence.isQuorum(made, Math.max(evidence.trust.minimum_audit_witnesses, statement.required_witnesses ?? 0));
}

/** judgeCase returns { name, expect, answer } of the case in a folder. */
export function judgeCase(folder) {
  const { name, expect } = JSON.parse(readFileSync(join(folder, 'case.json')));
  const below = join(folder, 'evidence');
  const paths = readdirSync(below, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const files = new Map(paths.map((entry) => join(entry.parentPath ?? entry.path, entry.name)).sort().map((path) => [relative(below, path), readFileSync(path)]));
  return { name, expect, answer: judge(files, readFileSync(join(folder, 'trust.json'))) };
}

function main([folder]) {
  for (const path of casesBelow(folder)) {
    const { name, answer } = judgeCase(path);
    console.log(JSON.stringify({ name, ...answer }));
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main(process.argv.slice(2));
