// The certificate profile: reading a certificate (SPEC 7.12), its key (SPEC 7.2), its names (SPEC 7.3) and its signature (SPEC 8.18).

import { createPublicKey, verify } from 'node:crypto';
import * as der from './der.mjs';
import * as ed25519 from './ed25519.mjs';
import { Fault } from './json.mjs';
import { ipText } from './names.mjs';

const { sequence, sequenceOf, setOf, choice, optional, implicit, constructed, explicit, where } = der;

const name = { accepts: (tag) => tag === 0x30, check: (element) => element.content.length === 0 || relativeNames.check(element) };
const relativeName = setOf(sequence(der.oid, der.any));
const relativeNames = sequenceOf(relativeName);
const directoryString = der.stringOf(0x0c, 0x13, 0x14, 0x1c, 0x1e);

const generalName = (addressLengths) => choice(
  constructed(0, sequence(der.oid, explicit(0, der.any))),
  implicit(1, der.ia5String),
  implicit(2, der.ia5String),
  constructed(3, der.any),
  explicit(4, name),
  constructed(5, sequence(optional(explicit(0, directoryString)), explicit(1, directoryString))),
  implicit(6, der.ia5String),
  implicit(7, where(der.octetString, (content) => addressLengths.includes(content.length))),
  implicit(8, der.oid),
);
const names = sequenceOf(generalName([4, 16]));
const natural = where(der.integer, (content) => content[0] < 0x80);
// A named bit list has no trailing zero bits in DER (X.690, 11.2.2).
const namedBits = where(der.bits, (c) => c.length === 1 || ((c[c.length - 1] >> c[0]) & 1) === 1);
const onlyTrue = where(der.boolean, (content) => content[0] === 0xff);

const subtrees = sequenceOf(sequence(generalName([8, 32]), optional(implicit(0, where(natural, (c) => c[0] !== 0))), optional(implicit(1, natural))));
const pointName = choice(constructed(0, names), constructed(1, relativeName));
const points = sequenceOf(sequence(optional(explicit(0, pointName)), optional(implicit(1, namedBits)), optional(constructed(2, names))));
const accessDescriptions = sequenceOf(sequence(der.oid, generalName([4, 16])));

// The extensions of RFC 5280, 4.2.
const EXTENSIONS = {
  '2.5.29.35': sequence(optional(implicit(0, der.octetString)), optional(constructed(1, names)), optional(implicit(2, der.integer))),
  '2.5.29.14': der.octetString,
  '2.5.29.15': namedBits,
  '2.5.29.32': sequenceOf(sequence(der.oid, optional(sequenceOf(sequence(der.oid, der.any))))),
  '2.5.29.33': sequenceOf(sequence(der.oid, der.oid)),
  '2.5.29.17': names,
  '2.5.29.18': names,
  '2.5.29.9': sequenceOf(sequence(der.oid, setOf(der.any))),
  '2.5.29.19': sequence(optional(der.boolean), optional(natural)),
  '2.5.29.30': sequence(optional(constructed(0, subtrees)), optional(constructed(1, subtrees))),
  '2.5.29.36': sequence(optional(implicit(0, natural)), optional(implicit(1, natural))),
  '2.5.29.37': sequenceOf(der.oid),
  '2.5.29.31': points,
  '2.5.29.46': points,
  '2.5.29.54': natural,
  '1.3.6.1.5.5.7.1.1': accessDescriptions,
  '1.3.6.1.5.5.7.1.11': accessDescriptions,
};

const algorithm = sequence(der.oid, optional(der.any));
const wholeOctets = where(der.bits, (content) => content[0] === 0);
const time = der.stringOf(0x17, 0x18);
const TBS = sequence(
  optional(explicit(0, where(der.integer, (c) => c.length === 1 && (c[0] === 1 || c[0] === 2)))), // the default, v1, is not written in DER
  der.integer, algorithm, name, sequence(time, time), name, sequence(algorithm, wholeOctets),
  optional(implicit(1, der.bits)), optional(implicit(2, der.bits)),
  optional(explicit(3, sequenceOf(sequence(der.oid, optional(onlyTrue), der.octetString)))),
);
const CERTIFICATE = sequence(TBS, algorithm, wholeOctets);

/** readCertificate returns what the checks need of one certificate, or throws a Fault (SPEC 7.12). */
export function readCertificate(octets) {
  const root = der.whole(octets);
  if (!CERTIFICATE.accepts(root.tag)) throw new Fault('certificate: not a sequence');
  CERTIFICATE.check(root);
  const [tbs, outer, signature] = der.elements(root.content);
  const fields = der.elements(tbs.content);
  const version = fields[0].tag === 0xa0 ? der.elements(fields.shift().content)[0].content[0] + 1 : 1;
  const [serial, inner, issuer, validity, subject, spki, ...rest] = fields;
  if (!inner.raw.equals(outer.raw)) throw new Fault('certificate: signature algorithm differs inside and outside');
  const last = rest.at(-1)?.tag === 0xa3 ? rest.pop() : undefined;
  if ((rest.length > 0 && version < 2) || (last && version < 3)) throw new Fault('certificate: fields that its version does not have');
  const [notBefore, notAfter] = der.elements(validity.content).map(readTime);
  return {
    octets, version, serial: readSerial(serial.content), issuer: issuer.raw, subject, notBefore, notAfter, spki: spki.raw,
    extensions: last ? readExtensions(last) : new Map(), signed: tbs.raw, algorithm: inner, signature: signature.content.subarray(1),
  };
}

// RFC 5280, 4.1.2.2: a serial is positive.
function readSerial(content) {
  const hex = content.toString('hex').replace(/^0+/, '');
  if (content[0] >= 0x80 || hex === '') throw new Fault('certificate: serial is not positive');
  return hex;
}

// RFC 5280, 4.1.2.5: UTCTime through 2049, GeneralizedTime from 2050. The result is in milliseconds since 1970.
function readTime({ tag, content }) {
  const digits = content.toString('latin1').slice(0, -1);
  const year = tag === 0x17 ? (digits < '5' ? '20' : '19') + digits.slice(0, 2) : digits.slice(0, 4);
  if (tag === 0x18 && year >= '1950' && year < '2050') throw new Fault('certificate: GeneralizedTime before 2050');
  const [month, day, hour, minute, second] = digits.slice(-10).match(/../g);
  const text = `${year}-${month}-${day}T${hour}:${minute}:${second}.000Z`;
  const time = new Date(text);
  if (Number.isNaN(time.getTime()) || time.toISOString() !== text) throw new Fault('certificate: no such time');
  return time.getTime();
}

function readExtensions(wrapper) {
  const extensions = new Map();
  for (const { content } of der.elements(der.elements(wrapper.content)[0].content)) {
    const [oid, ...rest] = der.elements(content);
    const id = der.oidText(oid.content);
    if (extensions.has(id)) throw new Fault(`certificate: extension ${id} stands twice`);
    extensions.set(id, { critical: rest.length === 2, value: readExtension(id, rest.at(-1).content) });
  }
  return extensions;
}

function readExtension(id, octets) {
  const form = EXTENSIONS[id];
  if (form === undefined) return undefined;
  const value = der.whole(octets);
  if (!form.accepts(value.tag)) throw new Fault(`certificate: extension ${id} has a wrong form`);
  form.check(value);
  return value;
}

/** assertsCa tells whether basicConstraints is there with cA true. */
export function assertsCa(certificate) {
  const constraints = certificate.extensions.get('2.5.29.19')?.value;
  const first = constraints && der.elements(constraints.content)[0];
  return first?.tag === 0x01 && first.content[0] === 0xff;
}

/** keyUsage tells whether the certificate may use its key so: undefined if it has no keyUsage; bit 5 is keyCertSign, bit 6 cRLSign. */
export function keyUsage(certificate, bit) {
  const usage = certificate.extensions.get('2.5.29.15')?.value;
  return usage && ((usage.content[1] ?? 0) & (0x80 >> bit)) !== 0;
}

const USAGES = {
  '1.3.6.1.5.5.7.3.1': 'serverAuth',
  '1.3.6.1.5.5.7.3.2': 'clientAuth',
  '1.3.6.1.5.5.7.3.3': 'codeSigning',
  '1.3.6.1.5.5.7.3.4': 'emailProtection',
  '1.3.6.1.5.5.7.3.8': 'timeStamping',
};

/** extendedKeyUsages lists the usages by the names of SPEC 7.2, others by their object identifier; undefined without the extension. */
export function extendedKeyUsages(certificate) {
  const usages = certificate.extensions.get('2.5.29.37')?.value;
  return usages && der.elements(usages.content).map(({ content }) => USAGES[der.oidText(content)] ?? der.oidText(content));
}

/** alternativeNames lists subjectAltName as SPEC 7.3 writes names; an entry of another type is undefined in the list. */
export function alternativeNames(certificate) {
  const value = certificate.extensions.get('2.5.29.17')?.value;
  return value && der.elements(value.content).map(({ tag, content }) => {
    if (tag === 0x87) return `ip:${ipText(content)}`;
    const prefix = { 0x81: 'email:', 0x82: 'dns:', 0x86: 'uri:' }[tag];
    return prefix && prefix + content.toString('latin1');
  });
}

/** commonName returns the text of a subject that is exactly one commonName of an admitted type, and undefined otherwise (SPEC 8.17). */
export function commonName(certificate) {
  const attributes = der.elements(certificate.subject.content).flatMap(({ content }) => der.elements(content));
  if (attributes.length !== 1) return undefined;
  const [type, value] = der.elements(attributes[0].content);
  return der.oidText(type.content) === '2.5.4.3' && [0x0c, 0x13].includes(value.tag) ? value.content.toString('utf8') : undefined;
}

const CURVES = { '1.2.840.10045.3.1.7': 'p256', '1.3.132.0.34': 'p384', '1.3.132.0.35': 'p521' };

/** keyOf returns { kind: 'ec', curve } | { kind: 'rsa', bits, exponent } | { kind: 'ed25519', octets }, or undefined for any other or broken key. */
export function keyOf(certificate) {
  const [algorithm, { content }] = der.elements(der.elements(certificate.spki)[0].content);
  const [oid, parameters] = der.elements(algorithm.content);
  const octets = content.subarray(1);
  const read = { '1.2.840.10045.2.1': ecKey, '1.2.840.113549.1.1.1': rsaKey, '1.3.101.112': ed25519Key }[der.oidText(oid.content)];
  try {
    return read?.(octets, parameters, certificate.spki);
  } catch {
    return undefined;
  }
}

// OpenSSL refuses a point that is not on the curve; the form of the point is checked here.
function ecKey(octets, parameters, spki) {
  const curve = parameters?.tag === 0x06 ? CURVES[der.oidText(parameters.content)] : undefined;
  if (curve === undefined || octets[0] !== 4) return undefined;
  createPublicKey({ key: spki, format: 'der', type: 'spki' });
  return { kind: 'ec', curve };
}

function rsaKey(octets, parameters) {
  const root = der.whole(octets);
  sequence(natural, natural).check(root);
  if (root.tag !== 0x30 || parameters?.tag !== 0x05) return undefined;
  const [modulus, exponent] = der.elements(root.content).map(({ content }) => BigInt(`0x${content.toString('hex')}`));
  return { kind: 'rsa', bits: modulus.toString(2).length, exponent };
}

function ed25519Key(octets, parameters) {
  return octets.length === 32 && parameters === undefined ? { kind: 'ed25519', octets } : undefined;
}

/** isOfAlgorithm tells whether a key is what SPEC 7.2 says of the algorithm. */
export function isOfAlgorithm(key, algorithm) {
  if (key?.kind === 'rsa') return algorithm === `rsa-${key.bits}` && key.exponent === 65537n;
  if (key?.kind === 'ec') return algorithm === `ecdsa-${key.curve}`;
  return key?.kind === algorithm;
}

/** isIssuerKey is SPEC 8.18, sentence 3. */
export function isIssuerKey(key) {
  if (key?.kind !== 'rsa') return key !== undefined;
  return key.bits >= 2048 && key.exponent % 2n === 1n && key.exponent >= 3n && key.exponent < 2n ** 31n;
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
  const [oid, parameters] = der.elements(leaf.algorithm.content);
  const [kind, hash] = SIGNATURES[der.oidText(oid.content)] ?? [];
  if (!isIssuerKey(key) || key.kind !== kind) return false;
  const admitted = kind === 'rsa' ? [undefined, 0x05] : [undefined];
  if (!admitted.includes(parameters?.tag)) return false;
  if (kind === 'ed25519') return ed25519.isGoodKey(key.octets) && ed25519.holds(key.octets, leaf.signed, leaf.signature);
  return verify(hash, leaf.signed, createPublicKey({ key: issuer.spki, format: 'der', type: 'spki' }), leaf.signature);
}
