// Digests, signed octets and the audit log's links (SPEC 3.2, 4.2, 4.3).

import { createHash } from 'node:crypto';
import { canonical } from './json.mjs';

/** sha256 returns the digest as SPEC 1.5 writes it. */
export function sha256(...parts) {
  const hash = createHash('sha256');
  parts.forEach((part) => hash.update(part));
  return hash.digest('hex');
}

/** digest returns the digest of a value's canonical form. */
export function digest(value) {
  return sha256(canonical(value));
}

/** preAuthentication is PAE of SPEC 3.2. */
export function preAuthentication(type, body) {
  const octets = Buffer.from(body);
  return Buffer.concat([Buffer.from(`DSSEv1 ${Buffer.byteLength(type)} ${type} ${octets.length} `), octets]);
}

/** genesis is hash(0) of a log. */
export function genesis(tenantId, logId) {
  return sha256('svc.audit-genesis.v1\0', canonical({ log_id: logId, tenant_id: tenantId }));
}

/** sequenceOf and linkHash are the sequence and the hash of a link, redacted or disclosed. */
export function sequenceOf(link) {
  return link.event ? link.event.body.sequence : link.sequence;
}

export function linkHash(link) {
  const { previous_hash: previous, skip_hash: skip } = link.event ?? link;
  const body = link.event ? digest(link.event.body) : link.body_sha256;
  const number = Buffer.alloc(8);
  number.writeBigUInt64BE(BigInt(sequenceOf(link)));
  return sha256('svc.audit-link.v1\0', number, Buffer.from(previous + skip + body, 'hex'));
}

/** skip is the older sequence that the link at n skips to (SPEC 4.3). */
export function skip(n) {
  const full = [1]; // the full numbers up to n
  while (3 * full.at(-1) + 1 <= n) full.push(3 * full.at(-1) + 1);
  let m = full.pop();
  if (m === n) return full.pop() ?? 0;
  for (let rest = n % m; rest !== 0; rest %= m) m = full.pop();
  return n - m;
}

/** way lists the sequences from an event to an older one, or to itself. */
export function way(from, to) {
  const sequences = [from];
  for (let n = from; n > to; sequences.push(n)) n = skip(n) >= to ? skip(n) : n - 1;
  return sequences;
}
