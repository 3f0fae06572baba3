// The keys and signatures of certificates (SPEC 7.2, 7.12, 8.16, 8.18).

import { createPublicKey, verify } from 'node:crypto';
import * as der from './der.mjs';
import * as ed25519 from './ed25519.mjs';

const CURVES = { '1.2.840.10045.3.1.7': 'p256', '1.3.132.0.34': 'p384', '1.3.132.0.35': 'p521' };
const KINDS = { '1.2.840.10045.2.1': ecKey, '1.2.840.113549.1.1.1': rsaKey, '1.3.101.112': ed25519Key };

const isNull = (value) => value?.tag === der.NULL && value.content.length === 0;
const openSsl = (spki) => createPublicKey({ key: spki, format: 'der', type: 'spki' });

/** keyOf returns { kind: 'ec', curve } | { kind: 'rsa', bits, odd, exponent } | { kind: 'ed25519', octets }, or undefined for any other or broken key. */
export function keyOf({ key }) {
  try {
    return KINDS[key.algorithm.id]?.(key.octets, key.algorithm.parameters, key.spki);
  } catch {
    return undefined;
  }
}

// OpenSSL refuses a point that is not on the curve; the form of the point is checked here.
function ecKey(octets, parameters, spki) {
  const curve = CURVES[der.oidText(der.typed(parameters, der.OID))];
  if (curve === undefined || octets[0] !== 4) return undefined;
  openSsl(spki);
  return { kind: 'ec', curve };
}

function rsaKey(octets, parameters) {
  const members = new der.Members(der.whole(octets));
  const [modulus, exponent] = members.end([positive(members.next(der.INTEGER)), positive(members.next(der.INTEGER))]);
  return isNull(parameters) ? { kind: 'rsa', bits: modulus.toString(2).length, odd: modulus % 2n === 1n, exponent } : undefined;
}

function positive({ content }) {
  const number = content[0] < 0x80 ? BigInt(`0x${content.toString('hex')}`) : 0n;
  return number > 0n ? number : der.fail('not a positive integer');
}

function ed25519Key(octets, parameters) {
  return octets.length === 32 && parameters === undefined ? { kind: 'ed25519', octets } : undefined;
}

/** isOfAlgorithm tells whether a key is what SPEC 7.2 says of the algorithm. */
export function isOfAlgorithm(key, algorithm) {
  if (key?.kind === 'rsa') return algorithm === `rsa-${key.bits}` && key.odd && key.exponent === 65537n;
  if (key?.kind === 'ec') return algorithm === `ecdsa-${key.curve}`;
  return key?.kind === algorithm && ed25519.isGoodKey(key.octets);
}

/** isIssuerKey is SPEC 8.18, sentence 3. */
export function isIssuerKey(key) {
  if (key?.kind === 'ed25519') return ed25519.isGoodKey(key.octets);
  if (key?.kind !== 'rsa') return key !== undefined;
  return key.odd && key.bits >= 2048 && key.bits <= 16384 && key.exponent % 2n === 1n && key.exponent >= 3n && key.exponent < 2n ** 31n;
}

const SIGNATURES = {
  '1.2.840.10045.4.3.2': ['ec', 'sha256'],
  '1.2.840.10045.4.3.3': ['ec', 'sha384'],
  '1.2.840.10045.4.3.4': ['ec', 'sha512'],
  '1.2.840.113549.1.1.11': ['rsa', 'sha256'],
  '1.2.840.113549.1.1.12': ['rsa', 'sha384'],
  '1.2.840.113549.1.1.13': ['rsa', 'sha512'],
  '1.3.101.112': ['ed25519'],
};

/** isIssuedBy is SPEC 8.18, sentence 4. */
export function isIssuedBy(leaf, issuer) {
  const key = keyOf(issuer);
  const { id, parameters } = leaf.algorithm;
  const [kind, hash] = SIGNATURES[id] ?? [];
  if (!isIssuerKey(key) || key.kind !== kind) return false;
  if (kind === 'rsa' ? !isNull(parameters) : parameters !== undefined) return false;
  if (kind === 'ed25519') return ed25519.holds(key.octets, leaf.signed, leaf.signature);
  return verify(hash, leaf.signed, openSsl(issuer.key.spki), leaf.signature);
}
