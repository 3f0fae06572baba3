// The form of every document (SPEC 1 to 7), and the reading of trust file and bundle.

import { readCertificate } from './certificate.mjs';
import { isGoodKey } from './ed25519.mjs';
import { Fault, readJson } from './json.mjs';
import { digest } from './log.mjs';
import {
  Report, hash, identifier, integer, isGeneration, isIdentifier, isOctets, list, logId, map, name, nodeKey, object, octets, openObject, serial, sized,
  subject, text, time, word,
} from './kinds.mjs';

const MAX_TRUST = 16777216;
/** MAX_BUNDLE is the most octets that a bundle may have. */
export const MAX_BUNDLE = 16777216;
const MAX_EVENT = 1048576;
const ALGORITHMS = ['ecdsa-p256', 'ecdsa-p384', 'ed25519', 'rsa-2048', 'rsa-3072', 'rsa-4096'];
const USAGES = ['clientAuth', 'codeSigning', 'emailProtection', 'serverAuth', 'timeStamping'];
const REASONS = [
  'unspecified', 'keyCompromise', 'cACompromise', 'affiliationChanged', 'superseded', 'cessationOfOperation', 'privilegeWithdrawn', 'aACompromise',
];

const publicKey = text((value) => isOctets(value, 32) && isGoodKey(Buffer.from(value, 'base64url')), 'a good public key');
const plainKey = octets(32);
const digests = list(hash);
const allowOrDeny = word('allow', 'deny');

// SPEC 7.2
const terms = object({
  workload_profile: identifier, algorithm: word(...ALGORITHMS), lifetime_seconds: integer(1), policy_version: integer(1), policy_sha256: hash,
  required_approvals: integer(1), names: list(name, { least: 1 }), extended_key_usages: list(word(...USAGES), { least: 1 }), public_key_sha256: hash,
});

// SPEC 7.4
const manifest = object({
  protocol: word('svc.evidence-manifest.v1'), tenant_id: subject, transaction_id: subject, terms,
  approvals: list(object({ node_id: subject, sha256: hash }), { least: 1, key: (entry) => entry.node_id }),
  decisions: object({ customer_sha256: hash, service_sha256: hash }), capability_evidence: digests,
  signer_registry: object({ generation: integer(1), sha256: hash }), signer_receipt_sha256: hash,
  certificate: object({ sha256: hash, serial }), issuer_sha256: hash,
});

// SPEC 7.8
const registry = object({
  protocol: word('svc.signer-registry.v1'), generation: integer(1), created_at: time,
  signers: list(object({
    key_id: identifier, public_key: plainKey, algorithms: list(word(...ALGORITHMS), { least: 1 }), issuer_public_key_sha256: list(hash, { least: 1 }),
  }), { least: 1, key: (signer) => signer.key_id }),
});

const about = { tenant_id: subject, transaction_id: subject };
const head = { tenant_id: subject, log_id: logId, sequence: integer(1), head_hash: hash };
const receipted = { ...about, certificate_sha256: hash, certificate_serial: serial, registry_generation: integer(1) };
const decision = { ...about, decision: allowOrDeny, terms, capability_evidence: digests, decided_at: time };

// The statements of SPEC 5.1 and 7.5 to 7.11, without their protocol. What each list holds is [required, optional].
const STATEMENTS = {
  'svc.approval.v1': [{ ...decision, node_id: subject, expires_at: time }],
  'svc.capability-evidence.v1': [{
    tenant_id: subject, node_id: subject, workload_profile: identifier, capability: identifier, observed_at: time, expires_at: time,
  }],
  'svc.signer-receipt.v1': [{
    ...receipted, terms, customer_decision_sha256: hash, service_decision_sha256: hash, not_before: time, not_after: time, issued_at: time,
  }],
  'svc.revocation-receipt.v1': [{ ...receipted, revoked_at: time, reason: word(...REASONS) }],
  'svc.evidence-status.v1': [
    { ...about, manifest_sha256: hash, checkpoint_sha256: hash, status: word('issued', 'revoked') }, { revocation_receipt_sha256: hash },
  ],
  'svc.audit-checkpoint.v1': [{ ...head, required_witnesses: integer(1), created_at: time }],
  'svc.audit-checkpoint.v0': [{ ...head, created_at: time }],
  'svc.witness-receipt.v1': [{ ...head, node_id: subject, checkpoint_sha256: hash, witnessed_at: time }],
};

const CUSTOMER = [{ ...decision, trust_domain: word('customer'), node_id: subject, approvals: list(hash, { least: 1 }) }];
const SERVICE = [{ ...decision, trust_domain: word('service') }];

// envelope is SPEC 3.1 with a statement of one of the protocols that its place admits.
const envelope = (statements) => (value, place, report) => {
  const protocol = value.statement?.protocol;
  const known = typeof protocol === 'string' && Object.hasOwn(statements, protocol);
  const [required, optional] = known ? statements[protocol] : [{}];
  const statement = object({ protocol: word(...Object.keys(statements)), ...required }, optional);
  object({ statement, key_id: identifier, signature: octets(64) })(value, place, report);
};
const of = (...protocols) => envelope(Object.fromEntries(protocols.map((protocol) => [protocol, STATEMENTS[protocol]])));
const byNode = (entry) => entry.statement.node_id;

// The events whose data is closed (SPEC 4.4).
const DATA = {
  'approval.recorded': { node_id: subject, approval_sha256: hash },
  'decision.recorded': { trust_domain: word('customer', 'service'), decision: allowOrDeny, decision_sha256: hash },
  'issuance.completed': { manifest_sha256: hash },
  'certificate.revoked': { manifest_sha256: hash, revocation_receipt_sha256: hash },
  'node.reported': {
    node_id: subject, audit_sequence: integer(1), audit_head: hash, previous_hash: hash, skip_hash: hash, body_sha256: hash, key_id: identifier,
    signature: octets(64),
  },
  'approval.signed': { approval_sha256: hash, decision: allowOrDeny },
  'checkpoint.witnessed': { checkpoint_sha256: hash, sequence: integer(1), head_hash: hash },
  'capability.observed': { capability_evidence_sha256: hash },
};

// SPEC 4.2
const body = (value, place, report) => {
  const closed = typeof value.type === 'string' && Object.hasOwn(DATA, value.type);
  object({
    protocol: word('svc.audit-event.v1'), tenant_id: subject, log_id: logId, sequence: integer(1), occurred_at: time, type: identifier,
    salt: octets(16), data: closed ? object(DATA[value.type]) : openObject,
  }, { transaction_id: subject })(value, place, report);
};

/** event is a whole event (SPEC 4.2), redacted a link without its event (SPEC 6.1). */
export const event = sized(MAX_EVENT, object({ body, previous_hash: hash, skip_hash: hash, hash, key_id: identifier, signature: octets(64) }));
const disclosed = object({ event });
export const redacted = object({ sequence: integer(1), previous_hash: hash, skip_hash: hash, body_sha256: hash });
const link = (value, place, report) => (value.event === undefined ? redacted : disclosed)(value, place, report);

const certificates = list(octets(1, 65536), { least: 2, most: 2, key: (_, i) => i }); // leaf, issuer: no order to be in (SPEC 1.7)

/** PARTS are the members of a bundle (SPEC 7.1). */
export const PARTS = {
  manifest,
  certificates,
  status: of('svc.evidence-status.v1'),
  approvals: list(of('svc.approval.v1'), { least: 1, key: byNode }),
  decisions: object({ customer: envelope({ 'svc.decision.v1': CUSTOMER }), service: envelope({ 'svc.decision.v1': SERVICE }) }),
  capability_evidence: list(of('svc.capability-evidence.v1'), { key: (entry) => digest(entry.statement) }),
  signer_registries: list(registry, { least: 1, key: (entry) => entry.generation }),
  signer_receipt: of('svc.signer-receipt.v1'),
  revocation_receipt: of('svc.revocation-receipt.v1'),
  audit_path: object({ links: list(link, { least: 1, most: 4096, key: (_, i) => i }) }), // 8.5 judges the order of links, not 8.1 (SPEC 1.7)
  checkpoint: of('svc.audit-checkpoint.v1', 'svc.audit-checkpoint.v0'),
  witness_receipts: list(of('svc.witness-receipt.v1'), { key: byNode }),
};

// outermost looks at the bundle's own object only; its parts are read one by one.
const { revocation_receipt: receipt, ...required } = Object.fromEntries(Object.keys(PARTS).map((member) => [member, () => {}]));
const outermost = object({ protocol: word('svc.evidence-bundle.v1'), ...required }, { revocation_receipt: receipt });

/** readTrust reads a trust file; it throws a Fault for any fault (SPEC 2). */
export function readTrust(file) {
  if (file.length > MAX_TRUST) throw new Fault('trust file: too long');
  const trust = readJson(file);
  const report = new Report();
  object({
    audit_keys: map(isIdentifier, publicKey), protected_signer_keys: map(isIdentifier, publicKey), registries: map(isGeneration, plainKey),
    nodes: map((id) => nodeKey(id) !== undefined, publicKey, 65536),
  }, { minimum_audit_witnesses: integer(0, 1024) })(trust, 'trust file', report);
  const [fault] = [...report.hard, ...report.soft];
  if (fault !== undefined) throw new Fault(fault);
  const keys = [trust.audit_keys, trust.protected_signer_keys, trust.nodes].flatMap(Object.values);
  if (new Set(keys).size < keys.length) throw new Fault('trust file: a public key stands twice'); // SPEC 2.2
  return { minimum_audit_witnesses: 1, ...trust };
}

/** readBundle returns { parts, unread, faults }: what could be read, the names of the members that could not, and every fault of form. */
export function readBundle(file) {
  const bundle = { parts: {}, unread: new Set(Object.keys(PARTS)), faults: [] };
  try {
    if (file.length > MAX_BUNDLE) throw new Fault('bundle: too long');
    const document = readJson(file);
    const report = new Report();
    outermost(document, '', report);
    bundle.faults.push(...report.hard, ...report.soft);
    if (document.revocation_receipt === undefined) bundle.unread.delete('revocation_receipt');
    for (const member of Object.keys(PARTS)) readPart(bundle, document, member);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    bundle.faults.push(error.message);
  }
  return bundle;
}

/** eventFaults and checkpointFaults return the faults of form of an event, and of a checkpoint that stands alone (SPEC 4.2, 5.1). */
export const eventFaults = (value) => faultsOf(event, value);
export const checkpointFaults = (value) => faultsOf(PARTS.checkpoint, value);

function faultsOf(kind, value) {
  const report = new Report();
  kind(value, '', report);
  return [...report.hard, ...report.soft];
}

function readPart(bundle, document, member) {
  if (document[member] === undefined) return;
  const report = new Report();
  PARTS[member](document[member], `/${member}`, report);
  let part = document[member];
  if (member === 'certificates' && report.hard.length === 0) part = readCertificates(part, report);
  bundle.faults.push(...report.hard, ...report.soft);
  if (report.hard.length > 0) return;
  bundle.parts[member] = part;
  bundle.unread.delete(member);
}

function readCertificates(texts, report) {
  return texts.map((text, i) => {
    try {
      return readCertificate(Buffer.from(text, 'base64url'));
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      return report.hard.push(`/certificates/${i}: ${error.message}`);
    }
  });
}
