// What the checks look at: the parts that could be read, and what follows from them. Values are worked out when first asked for.

import { holds, isGoodKey } from './ed25519.mjs';
import { canonical } from './json.mjs';
import { nodeKey } from './kinds.mjs';
import { digest, linkHash, preAuthentication } from './log.mjs';

// SPEC 3.3: the section of the trust file whose keys may sign a protocol.
const SECTIONS = {
  'svc.approval.v1': 'nodes',
  'svc.capability-evidence.v1': 'nodes',
  'svc.witness-receipt.v1': 'nodes',
  'svc.evidence-status.v1': 'audit_keys',
  'svc.audit-checkpoint.v1': 'audit_keys',
  'svc.audit-checkpoint.v0': 'audit_keys',
  'svc.signer-receipt.v1': 'protected_signer_keys',
  'svc.revocation-receipt.v1': 'protected_signer_keys',
};

/** sectionOf is the section of the trust file whose keys may sign a statement. */
export function sectionOf(statement) {
  if (statement.protocol === 'svc.decision.v1') return statement.trust_domain === 'customer' ? 'nodes' : 'audit_keys';
  return SECTIONS[statement.protocol];
}

/** nodeOf is the node of a node key id (SPEC 2.3). */
export function nodeOf(keyId) {
  return nodeKey(keyId)?.[0];
}

/** Evidence is one readable bundle, seen with one trust file and one policy. */
export class Evidence {
  #openings = new Map();

  constructor(parts, trust, policy) {
    Object.assign(this, { parts, trust, policy });
  }

  get manifest() {
    return this.parts.manifest;
  }

  get leaf() {
    return this.parts.certificates[0];
  }

  get issuer() {
    return this.parts.certificates[1];
  }

  get links() {
    return this.parts.audit_path.links;
  }

  /** events are the disclosed events, newest first. */
  get events() {
    return this.links.filter((link) => link.event).map((link) => link.event);
  }

  get issuances() {
    return this.events.filter(({ body }) => body.type === 'issuance.completed');
  }

  get revocations() {
    return this.events.filter(({ body }) => body.type === 'certificate.revoked');
  }

  get bothDecisions() {
    return [this.parts.decisions.customer, this.parts.decisions.service];
  }

  /** receipts are the signer receipt and, if there is one, the revocation receipt. */
  get receipts() {
    return [this.parts.signer_receipt, this.parts.revocation_receipt].filter(Boolean);
  }

  get envelopes() {
    const { status, approvals, capability_evidence: capabilities, checkpoint, witness_receipts: witnesses } = this.parts;
    return [status, ...approvals, ...this.bothDecisions, ...capabilities, ...this.receipts, checkpoint, ...witnesses];
  }

  /** open returns the public key that opens an envelope, and undefined if it does not open (SPEC 3.3). */
  open(envelope) {
    if (!this.#openings.has(envelope)) this.#openings.set(envelope, this.#open(envelope));
    return this.#openings.get(envelope);
  }

  #open({ statement, key_id: id, signature }) {
    const section = sectionOf(statement);
    const key = this.#key(section, id);
    if (key === undefined) return undefined;
    if (!this.#holds(key, preAuthentication(statement.protocol, canonical(statement)), signature)) return undefined;
    return section === 'nodes' && statement.node_id !== nodeOf(id) ? undefined : key;
  }

  #key(section, id) {
    return Object.hasOwn(this.trust[section], id) ? this.trust[section][id] : undefined;
  }

  /** eventHolds tells whether a disclosed event is signed by an audit key (SPEC 8.3). */
  eventHolds(event) {
    const key = this.#key('audit_keys', event.key_id);
    if (key === undefined) return false;
    return this.#holds(key, preAuthentication('svc.audit-event.v1', Buffer.from(linkHash({ event }), 'hex')), event.signature);
  }

  // #holds tells whether a signature holds. Those under a key of which that is assumed all do.
  #holds(key, message, signature) {
    return this.trust.assumed?.has(key) || holds(Buffer.from(key, 'base64url'), message, Buffer.from(signature, 'base64url'));
  }

  /** isQuorum tells whether the envelopes that open are of enough distinct nodes and distinct keys. */
  isQuorum(envelopes, quorum) {
    const open = envelopes.filter((envelope) => this.open(envelope) !== undefined);
    const nodes = new Set(open.map((envelope) => envelope.statement.node_id));
    const keys = new Set(open.map((envelope) => this.open(envelope)));
    return nodes.size >= quorum && keys.size >= quorum;
  }

  registry(generation) {
    return this.parts.signer_registries.find((registry) => registry.generation === generation);
  }

  /** signerOf is the entry of a receipt's signer in the registry that the receipt names. */
  signerOf({ statement, key_id: id }) {
    return this.registry(statement.registry_generation)?.signers.find((signer) => signer.key_id === id);
  }
}

/** assuming returns the evidence of a bundle as if each unknown key were pinned, and every signature under it valid (SPEC 8.3). */
export function assuming(parts, trust) {
  const { audit_keys: audit, protected_signer_keys: signers, nodes, registries } = trust;
  const pinned = { ...trust, audit_keys: { ...audit }, protected_signer_keys: { ...signers }, nodes: { ...nodes }, registries: { ...registries }, assumed: new Set() };
  const taken = new Set([audit, signers, nodes].flatMap(Object.values));
  const assume = (section, id, key) => {
    if ([audit, signers, nodes].some((keys) => Object.hasOwn(keys, id)) || key === undefined || taken.has(key)) return;
    if (!Object.hasOwn(pinned[section], id)) taken.add(key);
    pinned[section][id] = key;
    pinned.assumed.add(key);
  };
  const evidence = new Evidence(parts, pinned, {});
  for (const envelope of evidence.envelopes) {
    const { statement, key_id: id } = envelope;
    const section = sectionOf(statement);
    const own = `${section} ${id}`; // no key in base64url
    if (section === 'protected_signer_keys') assume(section, id, goodKey(evidence.signerOf(envelope)?.public_key));
    else if (section === 'audit_keys' || nodeOf(id) === statement.node_id) assume(section, id, own);
  }
  evidence.events.forEach(({ key_id: id }) => assume('audit_keys', id, `audit_keys ${id}`));
  for (const registry of parts.signer_registries) {
    const { generation } = registry;
    if (!Object.hasOwn(registries, generation)) pinned.registries[generation] = Buffer.from(digest(registry), 'hex').toString('base64url');
  }
  return evidence;
}

const goodKey = (key) => (key !== undefined && isGoodKey(Buffer.from(key, 'base64url')) ? key : undefined);

/** digests lists the statement digests of envelopes, in ascending order. */
export function digests(envelopes) {
  return envelopes.map((envelope) => digest(envelope.statement)).sort();
}

/** sameSet compares two lists as sets of strings or numbers. */
export function sameSet(one, other) {
  const [a, b] = [new Set(one), new Set(other)];
  return a.size === b.size && [...a].every((entry) => b.has(entry));
}
