// Contradictions of two bundles (SPEC 14). Run it as: node contradiction.mjs DIR; it judges every case in the folders of a directory,
// which have contradiction.json, trust.json and case.json (for name and policy), and prints one line of JSON for each.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { nodeOf } from './evidence.mjs';
import { MAX_BUNDLE } from './form.mjs';
import { isBlank } from './json.mjs';
import { casesBelow } from './cases.mjs';
import { digest, linkHash, sequenceOf, sha256, skip } from './log.mjs';
import { examine } from './verify.mjs';

const MAX_FILE = 50331648; // SPEC 1.6
const CODES = [
  'transaction.issued-twice', 'certificate.serial-reused', 'revocation.withheld', 'anchor.split-view', 'chain.contradiction',
];
const FILE = /^\{"bundles":\[\{"document":"([\w-]+)","sha256":"([0-9a-f]{64})"\},\{"document":"([\w-]+)","sha256":"([0-9a-f]{64})"\}\],"code":"([a-z.-]+)","protocol":"svc\.contradiction\.v1"\}\n$/;

// readFile is SPEC 14.4. It returns undefined for a malformed file.
function readFile(octets) {
  if (octets.length > MAX_FILE) return undefined;
  const found = FILE.exec(octets.toString('latin1'));
  if (!found || found[0].length !== octets.length || !CODES.includes(found[5])) return undefined;
  const documents = [found[1], found[3]].map((text) => Buffer.from(text, 'base64url'));
  const right = documents.every((document, i) => document.length > 0 && document.length <= MAX_BUNDLE
    && document.toString('base64url') === found[2 * i + 1] && sha256(document) === found[2 * i + 2]);
  return right && found[2] < found[4] ? { code: found[5], documents } : undefined;
}

// factsOf is SPEC 14.1.
function factsOf({ manifest, parts, links, issuances: [issuance], revocations: [revocation], issuer, leaf }) {
  const { statement } = parts.checkpoint;
  const hashes = new Map([[statement.sequence, statement.head_hash]]);
  for (const link of links) {
    const { previous_hash: previous, skip_hash: skipped } = link.event ?? link;
    hashes.set(sequenceOf(link) - 1, previous).set(skip(sequenceOf(link)), skipped);
  }
  hashes.delete(0);
  return {
    log: statement.log_id, transaction: `${manifest.tenant_id} ${manifest.transaction_id}`, head: statement.sequence, hashes,
    linked: new Set(links.map(sequenceOf)), manifest: digest(manifest), issuance: linkHash({ event: issuance }), issuedAt: issuance.body.sequence,
    revokedAt: revocation?.body.sequence, serial: `${sha256(issuer.key.spki)} ${manifest.certificate.serial}`, certificate: sha256(leaf.octets),
    keys: keysOf(parts, issuance, revocation), nodes: parts.witness_receipts.map((receipt) => receipt.statement.node_id),
  };
}

// keysOf lists the keys of the statements that can count (SPEC 14.3).
function keysOf({ checkpoint, witness_receipts: receipts, status, signer_receipt: receipt }, issuance, revocation) {
  const audit = ({ key_id: id }) => `audit ${id}`;
  return {
    log: [audit(checkpoint), ...receipts.map(({ key_id: id }) => `node ${id} ${nodeOf(id)}`)],
    issuance: [audit(issuance)], status: [audit(status)], revocation: revocation ? [audit(revocation)] : [], receipt: [`signer ${receipt.key_id}`],
  };
}

const isStraight = ({ head, linked }, sequence) => {
  for (let n = sequence + 1; n <= head; n++) if (!linked.has(n)) return false;
  return true;
};

// RULES is SPEC 14.2 in its order. A rule returns what it found, or undefined.
const RULES = [
  function issuedTwice(a, b) {
    if (a.transaction !== b.transaction || (a.manifest === b.manifest && a.issuance === b.issuance)) return undefined;
    const what = a.manifest === b.manifest ? 'issuance' : 'manifest';
    const keys = a.certificate === b.certificate ? ['log', 'issuance'] : ['log', 'issuance', 'receipt'];
    return { sequence: Math.max(a.issuedAt, b.issuedAt), values: [a[what], b[what]], keys };
  },
  function serialReused(a, b) {
    if (a.serial !== b.serial || a.certificate === b.certificate) return undefined;
    return { values: [a.certificate, b.certificate], keys: ['receipt'] };
  },
  function withheld(a, b) {
    const [issued, revoked] = a.revokedAt === undefined ? [a, b] : [b, a];
    if (a.transaction !== b.transaction || issued.revokedAt !== undefined || !(issued.head >= revoked.revokedAt)) return undefined;
    const values = [a, b].map((side) => (side === issued ? 'issued' : 'revoked'));
    return { sequence: revoked.revokedAt, values, keys: ['log', 'status', 'revocation'] };
  },
  function splitView(a, b) {
    if (a.log !== b.log || a.head !== b.head || a.hashes.get(a.head) === b.hashes.get(b.head)) return undefined;
    return hashesAt(a, b, a.head, 'two-histories');
  },
  function chainContradiction(a, b) {
    if (a.log !== b.log) return undefined;
    const shared = [...a.hashes.keys()].filter((n) => b.hashes.has(n)).sort((m, n) => n - m);
    const differs = (n) => a.hashes.get(n) !== b.hashes.get(n);
    const shown = (n) => {
      if (isStraight(a, n) && isStraight(b, n)) return 'two-histories';
      return shared.some((m) => m > n && !differs(m)) ? 'false-link' : 'open';
    };
    const parted = shared.filter(differs).map((n) => ({ n, shows: shown(n) }));
    for (const shows of ['two-histories', 'false-link', 'open']) {
      const found = parted.find((one) => one.shows === shows);
      if (found) return hashesAt(a, b, found.n, shows);
    }
    return undefined;
  },
];

const hashesAt = (a, b, sequence, shows) => ({ shows, sequence, values: [a.hashes.get(sequence), b.hashes.get(sequence)], keys: ['log'] });

const both = (one, other) => [...new Set(one)].filter((entry) => other.includes(entry)).sort();

/** compare returns the contradiction of two bundles' facts, or undefined. */
export function compare(a, b) {
  for (const [i, rule] of RULES.entries()) {
    const found = rule(a, b);
    if (found) {
      const keys = ({ keys: of }) => found.keys.flatMap((name) => of[name]);
      const nodes = (side) => (found.keys.includes('log') ? side.nodes : []);
      return { ...found, code: CODES[i], keys: undefined, signed_both: both(keys(a), keys(b)), witnessed_both: both(nodes(a), nodes(b)) };
    }
  }
  return undefined;
}

/** judge returns { verdict, finding } of the octets of a contradiction file, and what verify found if it is verified (SPEC 14.4). */
export function judge(octets, trust, policy = {}) {
  if (octets.length <= MAX_FILE && isBlank(octets)) return { verdict: 'inconclusive', finding: 'json.empty' };
  const file = readFile(octets);
  if (!file) return { verdict: 'rejected', finding: octets.length > MAX_FILE ? 'form.too-large' : 'file.malformed' };
  const bundles = file.documents.map((document) => examine(document, trust, policy));
  if (bundles.some(({ verdict }) => verdict !== 'verified')) return { verdict: 'rejected', finding: 'contradiction.not-shown' };
  const found = compare(...bundles.map(({ evidence }) => factsOf(evidence)));
  return found?.code === file.code ? { verdict: 'verified', ...found } : { verdict: 'rejected', finding: 'contradiction.not-shown' };
}

/** judgeCase returns { name, expect, answer } of the case in a folder. */
export function judgeCase(folder) {
  const [octets, trust, text] = ['contradiction.json', 'trust.json', 'case.json'].map((file) => readFileSync(join(folder, file)));
  const { name, policy, expect } = JSON.parse(text);
  return { name, expect, answer: judge(octets, trust, policy) };
}

function main([folder]) {
  for (const path of casesBelow(folder)) {
    const { name, answer } = judgeCase(path);
    console.log(JSON.stringify({ name, ...answer }));
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main(process.argv.slice(2));
