// The checks 8.2 to 8.25. Each names the members of the bundle that it needs, and lists its sentences as [number, holds].

import * as x509 from './certificate.mjs';
import { digests, nodeOf, sameSet } from './evidence.mjs';
import { canonical } from './json.mjs';
import { isIssuedBy, isIssuerKey, isOfAlgorithm, keyOf } from './key.mjs';
import { timeOf } from './kinds.mjs';
import { digest, genesis, linkHash, sequenceOf, sha256, skip, way } from './log.mjs';

const TOLERANCE = 300000; // SPEC 7.13, in milliseconds
const EARLY = 3600000; // SPEC 8.16
const UNRECORDED = 86400000; // SPEC 8.21
const AFTER_EXPIRY = 3600000; // SPEC 8.21
const EVERY_STATEMENT = [
  'manifest', 'status', 'approvals', 'decisions', 'capability_evidence', 'signer_receipt', 'revocation_receipt', 'audit_path', 'checkpoint',
  'witness_receipts',
];

const statements = (envelopes) => envelopes.map((envelope) => envelope.statement);
const every = (number, entries, holds) => entries.map((entry) => [number, holds(entry)]);

function oneSubject(e) {
  const { tenant_id: tenant, transaction_id: transaction } = e.manifest;
  const { checkpoint, witness_receipts: witnesses, status, approvals } = e.parts;
  const bodies = e.events.map((event) => event.body);
  const ofTransaction = [...statements([status, ...approvals, ...e.bothDecisions, ...e.receipts]), ...bodies];
  return [
    ...every(1, [...statements(e.envelopes), ...bodies], (part) => part.tenant_id === tenant),
    ...every(2, ofTransaction, (part) => part.transaction_id === transaction),
    ...every(3, [...statements([checkpoint, ...witnesses]), ...bodies], (part) => part.log_id === `tenant/${tenant}`),
  ];
}

function signatures(e) {
  return [
    ...every(1, e.envelopes, (envelope) => e.open(envelope) !== undefined),
    ...every(2, e.events, (event) => e.eventHolds(event)),
  ];
}

function witnessed(e) {
  const { checkpoint: { statement }, witness_receipts: witnesses } = e.parts;
  const minimum = e.trust.minimum_audit_witnesses;
  const own = digest(statement);
  const bound = every(1, statements(witnesses), (receipt) =>
    receipt.checkpoint_sha256 === own && receipt.sequence === statement.sequence && receipt.head_hash === statement.head_hash);
  if (statement.protocol === 'svc.audit-checkpoint.v1') {
    return [...bound, [2, e.isQuorum(witnesses, Math.max(minimum, statement.required_witnesses))]];
  }
  const early = e.policy.legacy_before === undefined || timeOf(statement.created_at) <= timeOf(e.policy.legacy_before);
  return [...bound, [3, minimum === 0 && witnesses.length === 0 && early]]; // SPEC 5.4
}

function proven(e) {
  return [[1, isPath(e)], ...every(2, e.events, (event) => event.hash === linkHash({ event }))];
}

// isPath is SPEC 6.2.
function isPath(e) {
  const { checkpoint: { statement } } = e.parts;
  const required = requiredSequences(statement.sequence, e.events.map((event) => event.body.sequence));
  const hashes = new Map([[0, genesis(e.manifest.tenant_id, `tenant/${e.manifest.tenant_id}`)], [statement.sequence, statement.head_hash]]);
  const prove = (sequence, hash) => (hashes.has(sequence) ? hashes.get(sequence) === hash : Boolean(hashes.set(sequence, hash)));
  return e.links.length === required.length && e.links.every((link, i) => {
    const n = sequenceOf(link);
    const { previous_hash: previous, skip_hash: skipped } = link.event ?? link;
    return n === required[i] && linkHash(link) === hashes.get(n) && prove(n - 1, previous) && prove(skip(n), skipped);
  });
}

// requiredSequences is SPEC 6.1; without a disclosed event, or with one above the event before it, no path is right.
function requiredSequences(head, disclosed) {
  const required = [head];
  for (const sequence of disclosed) {
    if (sequence > required.at(-1)) return [];
    required.push(...way(required.at(-1), sequence).slice(1));
  }
  return disclosed.length > 0 ? required : [];
}

function disclosedEvents(e) {
  const [issuance] = e.issuances;
  return [
    [1, e.issuances.length === 1],
    [2, e.revocations.length <= 1 && (!issuance || e.revocations.every(({ body }) => body.sequence > issuance.body.sequence))],
    [3, e.events.length === e.issuances.length + e.revocations.length],
  ];
}

function complete(e) {
  const { manifest, parts: { approvals, decisions, signer_receipt: receipt } } = e;
  const pair = ({ node_id: node, sha256: hash }) => `${node} ${hash}`;
  const present = statements(approvals).map((statement) => pair({ node_id: statement.node_id, sha256: digest(statement) }));
  const registry = e.registry(manifest.signer_registry.generation);
  return [
    [1, sameSet(manifest.approvals.map(pair), present)],
    [2, manifest.decisions.customer_sha256 === digest(decisions.customer.statement)],
    [2, manifest.decisions.service_sha256 === digest(decisions.service.statement)],
    [3, registry !== undefined && manifest.signer_registry.sha256 === digest(registry)],
    [4, manifest.signer_receipt_sha256 === digest(receipt.statement)],
    [5, manifest.certificate.sha256 === sha256(e.leaf.octets) && manifest.issuer_sha256 === sha256(e.issuer.octets)],
  ];
}

function termsEqual(e) {
  const agreed = canonical(e.manifest.terms);
  const all = statements([...e.parts.approvals, ...e.bothDecisions, e.parts.signer_receipt]);
  return every(undefined, all, (statement) => canonical(statement.terms) === agreed);
}

function approved(e) {
  const { approvals } = e.parts;
  const quorum = Math.max(e.manifest.terms.required_approvals, e.policy.minimum_approvals ?? 1);
  return [...every(1, statements(approvals), ({ decision }) => decision === 'allow'), [2, e.isQuorum(approvals, quorum)]];
}

function decided(e) {
  const { approvals, decisions: { customer } } = e.parts;
  return [
    ...every(1, statements(e.bothDecisions), ({ decision }) => decision === 'allow'),
    [2, statements(approvals).some((approval) => approval.node_id === customer.statement.node_id)],
    [3, sameSet(customer.statement.approvals, digests(approvals))],
  ];
}

function capabilityBound(e) {
  const { approvals, capability_evidence: capabilities } = e.parts;
  const present = digests(capabilities);
  const reliedOn = statements([...approvals, ...e.bothDecisions]).flatMap((statement) => statement.capability_evidence);
  return [
    [1, sameSet(present, e.manifest.capability_evidence)],
    [1, sameSet(present, reliedOn)],
    ...every(2, statements(capabilities), (statement) => statement.workload_profile === e.manifest.terms.workload_profile),
  ];
}

function registryPinned(e) {
  const { signer_registries: registries, signer_receipt: receipt } = e.parts;
  const pin = (registry) => Buffer.from(digest(registry), 'hex').toString('base64url');
  return [
    ...every(1, registries, (registry) => e.trust.registries[registry.generation] === pin(registry)),
    [2, sameSet(registries.map((registry) => registry.generation), statements(e.receipts).map((statement) => statement.registry_generation))],
    [3, e.manifest.signer_registry.generation === receipt.statement.registry_generation],
  ];
}

function authorised(e) {
  const { signer_receipt: receipt, revocation_receipt: revocation } = e.parts;
  const issuerKey = sha256(e.issuer.key.spki);
  const isPinned = (envelope) => {
    const signer = e.signerOf(envelope);
    return signer !== undefined && e.trust.protected_signer_keys[envelope.key_id] === signer.public_key;
  };
  const knowsIssuer = (envelope) => e.signerOf(envelope)?.issuer_public_key_sha256.includes(issuerKey) ?? false;
  return [
    [1, isPinned(receipt)],
    [2, e.signerOf(receipt)?.algorithms.includes(e.manifest.terms.algorithm) ?? false],
    [2, knowsIssuer(receipt)],
    ...(revocation ? [[3, isPinned(revocation) && knowsIssuer(revocation)]] : []),
  ];
}

function receiptBound(e) {
  const { decisions, signer_receipt: { statement } } = e.parts;
  return [
    [1, statement.customer_decision_sha256 === digest(decisions.customer.statement)],
    [1, statement.service_decision_sha256 === digest(decisions.service.statement)],
  ];
}

function identified(e) {
  const { leaf, manifest, parts: { signer_receipt: { statement } } } = e;
  const [notBefore, notAfter, issued] = [statement.not_before, statement.not_after, statement.issued_at].map(timeOf);
  return [
    [1, sha256(leaf.octets) === statement.certificate_sha256],
    [2, leaf.serial === statement.certificate_serial && leaf.serial === manifest.certificate.serial],
    [3, leaf.notBefore === notBefore && leaf.notAfter === notAfter],
    [4, notAfter - notBefore === manifest.terms.lifetime_seconds * 1000],
    [5, issued - EARLY <= notBefore && notBefore <= issued + TOLERANCE],
    [6, sha256(leaf.key.spki) === manifest.terms.public_key_sha256],
    [6, isOfAlgorithm(keyOf(leaf), manifest.terms.algorithm)],
  ];
}

function constrained(e) {
  const { leaf, manifest: { terms } } = e;
  const isList = (found, agreed) => found !== undefined && new Set(found).size === found.length && sameSet(found, agreed);
  const commonName = x509.commonName(leaf);
  const isNamed = commonName !== undefined && terms.names.includes(`dns:${commonName}`);
  return [
    [1, leaf.version === 3],
    [2, !x509.assertsCa(leaf)],
    ...every(3, x509.keyUsages(leaf) ?? [], (bit) => x509.isUseAgreed(bit, terms)),
    [4, isList(x509.extendedKeyUsages(leaf), terms.extended_key_usages)],
    [5, isList(x509.alternativeNames(leaf), terms.names)],
    [6, x509.hasEmptySubject(leaf) || isNamed],
    ...every(7, [...leaf.extensions], x509.isExtensionAdmitted),
  ];
}

function issued({ leaf, issuer }) {
  return [
    [1, leaf.issuer.raw.equals(issuer.subject.raw)],
    [2, x509.assertsCa(issuer) && (x509.keyUsages(issuer)?.includes(5) ?? true)],
    [3, isIssuerKey(keyOf(issuer))],
    [4, isIssuedBy(leaf, issuer)],
  ];
}

function statusBound(e) {
  const { status: { statement }, checkpoint } = e.parts;
  return [[1, statement.manifest_sha256 === digest(e.manifest)], [1, statement.checkpoint_sha256 === digest(checkpoint.statement)]];
}

function revocationComplete(e) {
  const { status: { statement: status }, revocation_receipt: receipt } = e.parts;
  const named = [status, ...e.revocations.map((event) => event.body.data)].map((part) => part.revocation_receipt_sha256);
  const there = [status.status === 'revoked', named[0] !== undefined, receipt !== undefined, e.revocations.length > 0];
  const whole = [[1, there.every(Boolean) || !there.some(Boolean)]];
  if (receipt === undefined) return whole;
  const { certificate_sha256: hash, certificate_serial: serial } = receipt.statement;
  const bound = every(2, named.filter(Boolean), (name) => name === digest(receipt.statement));
  return [...whole, ...bound, [3, hash === sha256(e.leaf.octets) && serial === e.leaf.serial]];
}

function ordered(e) {
  const { approvals, capability_evidence: capabilities, checkpoint, witness_receipts: witnesses, signer_receipt, revocation_receipt } = e.parts;
  const notAfter = (number, ...times) => times.slice(1).map((time, i) => [number, timeOf(times[i]) <= timeOf(time) + TOLERANCE]);
  const isBefore = (number, one, other) => [[number, timeOf(one) < timeOf(other)]];
  const isWithin = (number, since, delay, time) => [number, timeOf(time) <= timeOf(since) + delay];
  const [voted, decisions] = [approvals, e.bothDecisions].map(statements);
  const naming = statements(capabilities).flatMap((evidence) =>
    [...voted, ...decisions].filter((vote) => vote.capability_evidence.includes(digest(evidence))).map((vote) => ({ evidence, vote })));
  const { issued_at: issuedAt } = signer_receipt.statement;
  const { created_at: createdAt } = checkpoint.statement;
  const revokedAt = revocation_receipt?.statement.revoked_at;
  return [
    ...naming.flatMap(({ evidence, vote }) => notAfter(1, evidence.observed_at, vote.decided_at)),
    ...voted.flatMap((vote) => decisions.flatMap((decision) => notAfter(2, vote.decided_at, decision.decided_at))),
    ...decisions.flatMap((decision) => notAfter(3, decision.decided_at, issuedAt)),
    ...e.issuances.flatMap((event) => notAfter(4, issuedAt, event.body.occurred_at, createdAt)),
    ...statements(witnesses).flatMap((receipt) => notAfter(5, createdAt, receipt.witnessed_at)),
    ...(revokedAt ? notAfter(6, issuedAt, revokedAt) : []),
    ...e.revocations.flatMap((event) => notAfter(6, ...(revokedAt ? [revokedAt] : []), event.body.occurred_at, createdAt)),
    ...naming.flatMap(({ evidence, vote }) => isBefore(7, vote.decided_at, evidence.expires_at)),
    ...voted.flatMap((vote) => isBefore(8, issuedAt, vote.expires_at)),
    ...voted.flatMap((vote) => isBefore(9, vote.decided_at, vote.expires_at)),
    ...statements(capabilities).flatMap((evidence) => isBefore(9, evidence.observed_at, evidence.expires_at)),
    ...e.issuances.flatMap(({ body }) => [
      isWithin(10, issuedAt, UNRECORDED, body.occurred_at),
      ...voted.map((vote) => isWithin(10, vote.expires_at, AFTER_EXPIRY, body.occurred_at)),
    ]),
  ];
}

// fresh has a sentence only if the status is fresh: a check without one is empty.
function fresh(e) {
  const { checkpoint: { statement: checkpoint }, status, witness_receipts: witnesses } = e.parts;
  const asked = timeOf(e.policy.at);
  const earliest = asked - e.policy.max_age_seconds * 1000;
  const isRecent = (time) => timeOf(time) >= earliest;
  const quorum = Math.max(e.trust.minimum_audit_witnesses, checkpoint.required_witnesses ?? 0);
  const isWitnessed = () => e.isQuorum(witnesses.filter(({ statement }) => isRecent(statement.witnessed_at)), quorum);
  const isFresh = () => checkpoint.protocol === 'svc.audit-checkpoint.v1' && isRecent(checkpoint.created_at) && isWitnessed();
  if (timeOf(checkpoint.created_at) > asked + TOLERANCE) return [];
  return status.statement.status === 'revoked' || isFresh() ? [[undefined, true]] : [];
}

// subjectWanted is SPEC 8.22, for a proven bundle.
function subjectWanted(e) {
  const { tenant_id: tenant, transaction_id: transaction, terms: { names } } = e.manifest;
  const { policy } = e;
  const sentences = every(4, policy.dns_names ?? [], (wanted) => names.some((name) => hasDNSName(name, wanted)));
  if (policy.tenant_id !== undefined) sentences.push([1, policy.tenant_id === tenant]);
  if (policy.transaction_id !== undefined) sentences.push([2, policy.transaction_id === transaction]);
  if (policy.certificate !== undefined) sentences.push([3, policy.certificate.equals(e.leaf.octets)]);
  return sentences;
}

// hasDNSName: the name itself, or one label in the place of an asterisk.
function hasDNSName(name, wanted) {
  if (!name.startsWith('dns:*.')) return name === `dns:${wanted}`;
  const [label, ...rest] = wanted.split('.');
  return label === '*' ? name === `dns:${wanted}` : name === ['dns:*', ...rest].join('.');
}

// inForce is SPEC 8.25.
function inForce(e) {
  const { signer_receipt: { statement: receipt }, revocation_receipt: revocation } = e.parts;
  const asked = timeOf(e.policy.in_force_at);
  const sentences = [[1, timeOf(receipt.not_before) <= asked && asked <= timeOf(receipt.not_after)]];
  if (revocation) sentences.push([2, asked < timeOf(revocation.statement.revoked_at)]);
  return sentences;
}

const check = (id, needs, sentences) => ({ id, needs, sentences });
const FRESH = 'status.fresh';

// DEMANDS are the checks that are made only if the policy asks for them (SPEC 2.4).
const DEMANDS = {
  'subject.wanted': ({ tenant_id: tenant, transaction_id: transaction, certificate, dns_names: names = [] }) =>
    [tenant, transaction, certificate].some((wanted) => wanted !== undefined) || names.length > 0,
  [FRESH]: ({ at }) => at !== undefined,
  'status.wanted': ({ status }) => status !== undefined,
  'certificate.in-force': ({ in_force_at: time }) => time !== undefined,
};

/** checksFor lists the checks that a policy asks for. */
export const checksFor = (policy) => CHECKS.filter(({ id }) => DEMANDS[id]?.(policy) ?? true);

/** isOfEveryList reports whether a check is made whatever the policy is: those decide whether a bundle is proven. */
export const isOfEveryList = (id) => !(id in DEMANDS);

/** isOfProven reports whether a check runs only if the bundle is proven. */
export const isOfProven = (id) => id in DEMANDS && id !== FRESH;

// The checks 8.2 to 8.25 in their order.
const CHECKS = [
  check('bundle.one-subject', [...EVERY_STATEMENT, 'certificates'], oneSubject),
  check('signatures.valid', EVERY_STATEMENT.slice(1), signatures),
  check('checkpoint.witnessed', ['checkpoint', 'witness_receipts'], witnessed),
  check('path.proven', ['manifest', 'audit_path', 'checkpoint'], proven),
  check('events.disclosed', ['audit_path'], disclosedEvents),
  check('manifest.committed', ['manifest', 'audit_path'], (e) =>
    every(undefined, [...e.issuances, ...e.revocations], ({ body }) => body.data.manifest_sha256 === digest(e.manifest))),
  check('manifest.complete', ['manifest', 'approvals', 'decisions', 'signer_registries', 'signer_receipt', 'certificates'], complete),
  check('terms.equal', ['manifest', 'approvals', 'decisions', 'signer_receipt'], termsEqual),
  check('approvals.quorum', ['manifest', 'approvals'], approved),
  check('decisions.agree', ['approvals', 'decisions'], decided),
  check('capability.bound', ['manifest', 'approvals', 'decisions', 'capability_evidence'], capabilityBound),
  check('registry.pinned', ['manifest', 'signer_registries', 'signer_receipt', 'revocation_receipt'], registryPinned),
  check('signer.authorised', ['manifest', 'certificates', 'signer_registries', 'signer_receipt', 'revocation_receipt'], authorised),
  check('receipt.bound', ['decisions', 'signer_receipt'], receiptBound),
  check('certificate.identified', ['manifest', 'certificates', 'signer_receipt'], identified),
  check('certificate.constrained', ['manifest', 'certificates'], constrained),
  check('certificate.issued', ['certificates'], issued),
  check('status.bound', ['manifest', 'status', 'checkpoint'], statusBound),
  check('revocation.complete', ['certificates', 'status', 'revocation_receipt', 'audit_path'], revocationComplete),
  check('times.ordered', EVERY_STATEMENT.slice(1), ordered),
  check('subject.wanted', ['manifest', 'certificates'], subjectWanted),
  check(FRESH, ['status', 'checkpoint', 'witness_receipts'], fresh),
  check('status.wanted', ['status'], (e) => [[undefined, e.parts.status.statement.status === e.policy.status]]),
  check('certificate.in-force', ['signer_receipt'], inForce),
];
