// Certificates: their form (SPEC 7.12), and what 8.17 reads from them.

import * as der from './der.mjs';
import { Fault } from './json.mjs';
import { ipText } from './names.mjs';

const { fail, only, listOf, whole, Members } = der;

/** readCertificate returns what the checks need of one certificate, or throws a Fault (SPEC 7.12). */
export function readCertificate(octets) {
  const members = new Members(whole(octets));
  const tbs = members.next(der.SEQUENCE);
  const algorithm = readAlgorithm(members.next(der.SEQUENCE));
  const signature = der.bare(members.next(der.BIT_STRING));
  return members.end({ octets, ...readTbs(tbs, algorithm), algorithm, signed: tbs.raw, signature });
}

function readTbs(tbs, algorithm) {
  const members = new Members(tbs);
  const version = readVersion(members.optional(0xa0));
  const serial = readSerial(members.next(der.INTEGER));
  if (!readAlgorithm(members.next(der.SEQUENCE)).raw.equals(algorithm.raw)) fail('signature algorithm differs inside and outside');
  const issuer = members.next(der.SEQUENCE);
  const [notBefore, notAfter] = readValidity(members.next(der.SEQUENCE));
  const subject = members.next(der.SEQUENCE);
  const key = readKey(members.next(der.SEQUENCE));
  const extensions = readExtensions(version === 3 ? members.optional(0xa3) : undefined);
  return members.end({ version, serial, issuer, notBefore, notAfter, subject, key, extensions });
}

function readVersion(wrapper) {
  if (wrapper === undefined) return 1;
  const { content } = only(wrapper, 0xa0, der.INTEGER);
  return content.length === 1 && (content[0] === 1 || content[0] === 2) ? content[0] + 1 : fail('no such version');
}

// The serial is written as in SPEC 1.5; one that is not positive is not a serial of that section and cannot be written.
function readSerial({ content }) {
  return content[0] < 0x80 ? content.toString('hex').replace(/^0+/, '') : '';
}

function readAlgorithm(value) {
  const members = new Members(value);
  const id = der.oidText(members.next(der.OID));
  return members.end({ raw: value.raw, id, parameters: members.opaque() });
}

function readKey(value) {
  const members = new Members(value);
  const algorithm = readAlgorithm(members.next(der.SEQUENCE));
  return members.end({ spki: value.raw, algorithm, octets: der.bare(members.next(der.BIT_STRING)) });
}

function readValidity(value) {
  const members = new Members(value);
  return members.end([readTime(members.opaque()), readTime(members.opaque())]);
}

// The result is in milliseconds since 1970.
function readTime(value) {
  const year = value?.tag === der.UTC_TIME ? 2 : value?.tag === der.GENERALIZED_TIME ? 4 : fail('not a time');
  const [, digits] = /^([0-9]+)Z$/.exec(value.content.toString('latin1')) ?? [];
  if (digits?.length !== year + 10) fail('time of a wrong form');
  const full = year === 4 ? digits : (digits < '5' ? '20' : '19') + digits;
  if (year === 4 && full < '2050') fail('GeneralizedTime before 2050');
  const text = full.replace(/^(....)(..)(..)(..)(..)(..)$/, '$1-$2-$3T$4:$5:$6.000Z');
  const time = new Date(text);
  if (Number.isNaN(time.getTime()) || time.toISOString() !== text) fail('no such time');
  return time.getTime();
}

const BASIC_CONSTRAINTS = '2.5.29.19';
const KEY_USAGE = '2.5.29.15';
const EXTENDED_KEY_USAGE = '2.5.29.37';
const ALTERNATIVE_NAME = '2.5.29.17';
const CONTENT = {
  [BASIC_CONSTRAINTS]: readBasicConstraints,
  [KEY_USAGE]: readKeyUsage,
  [EXTENDED_KEY_USAGE]: (value) => listOf(value).map((usage) => der.oidText(der.typed(usage, der.OID))),
  [ALTERNATIVE_NAME]: listOf,
};

function readExtensions(wrapper) {
  const extensions = new Map();
  if (wrapper === undefined) return extensions;
  for (const extension of listOf(only(wrapper, 0xa3, der.SEQUENCE))) {
    const members = new Members(extension);
    const id = der.oidText(members.next(der.OID));
    const critical = members.optional(der.BOOLEAN);
    if (critical?.content[0] === 0) fail('critical FALSE stands there');
    if (extensions.has(id)) fail(`extension ${id} stands twice`);
    const { content } = members.end(members.next(der.OCTET_STRING));
    extensions.set(id, { critical: critical !== undefined, value: CONTENT[id]?.(whole(content)) });
  }
  return extensions;
}

// The result is the value of cA.
function readBasicConstraints(value) {
  const members = new Members(value);
  const ca = members.optional(der.BOOLEAN);
  const length = members.optional(der.INTEGER);
  if (length?.content[0] >= 0x80) fail('pathLenConstraint is negative');
  return members.end(ca?.content[0] === 0xff);
}

// The result has bit 0 as the highest of 16 bits.
function readKeyUsage(value) {
  const [unused, ...octets] = der.typed(value, der.BIT_STRING).content;
  const count = octets.length * 8 - unused;
  if (count < 1 || count > 9 || ((octets.at(-1) >> unused) & 1) === 0) fail('keyUsage has not 1 to 9 bits, the last of them 1');
  return (octets[0] << 8) | (octets[1] ?? 0);
}

/** assertsCa tells whether basicConstraints is there with cA true. */
export function assertsCa(certificate) {
  return certificate.extensions.get(BASIC_CONSTRAINTS)?.value === true;
}

/** keyUsages lists the bits that keyUsage asserts: undefined if there is none; bit 5 is keyCertSign, bit 6 cRLSign. */
export function keyUsages(certificate) {
  const usage = certificate.extensions.get(KEY_USAGE)?.value;
  return usage === undefined ? undefined : [0, 1, 2, 3, 4, 5, 6, 7, 8].filter((bit) => (usage & (0x8000 >> bit)) !== 0);
}

// SPEC 8.17, sentence 3: the bits of keyUsage for the kinds of keys and for the extended key usages.
const OF_KEY = { ecdsa: [0, 1, 4], rsa: [0, 1, 2], ed25519: [0, 1] };
const OF_USAGE = { clientAuth: [0, 4], codeSigning: [0], emailProtection: [0, 1, 2, 4], serverAuth: [0, 2, 4], timeStamping: [0, 1] };

/** isUseAgreed tells whether the terms call for the bit of keyUsage. */
export function isUseAgreed(bit, { algorithm, extended_key_usages: usages }) {
  return OF_KEY[algorithm.split('-')[0]].includes(bit) && usages.some((usage) => OF_USAGE[usage].includes(bit));
}

// SPEC 8.17, sentence 7: the extensions beside the four that are read.
const PLAIN = [
  '2.5.29.14', '2.5.29.35', '2.5.29.31', '2.5.29.32', // subjectKeyIdentifier, authorityKeyIdentifier, cRLDistributionPoints, certificatePolicies
  '1.3.6.1.5.5.7.1.1', '1.3.6.1.4.1.11129.2.4.2', // authorityInfoAccess, signed certificate timestamps
];

/** isExtensionAdmitted tells whether a leaf may have the extension. */
export function isExtensionAdmitted([id, { critical }]) {
  return Object.hasOwn(CONTENT, id) || (PLAIN.includes(id) && !critical);
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
  return certificate.extensions.get(EXTENDED_KEY_USAGE)?.value.map((id) => USAGES[id] ?? id);
}

/** alternativeNames lists subjectAltName as SPEC 7.3 writes names; an entry that SPEC 8.17 does not admit is undefined in the list. */
export function alternativeNames(certificate) {
  return certificate.extensions.get(ALTERNATIVE_NAME)?.value.map(({ tag, content }) => {
    if (tag === 0x87) return [4, 16].includes(content.length) ? `ip:${ipText(content)}` : undefined;
    const prefix = { 0x81: 'email:', 0x82: 'dns:', 0x86: 'uri:' }[tag];
    return prefix && prefix + content.toString('latin1');
  });
}

/** hasEmptySubject tells whether the subject is an empty SEQUENCE. */
export function hasEmptySubject({ subject }) {
  return subject.content.length === 0;
}

/** commonName returns the text of a subject that is exactly one commonName of an admitted type, and undefined otherwise (SPEC 8.17). */
export function commonName({ subject }) {
  try {
    const members = new Members(only(only(subject, der.SEQUENCE, der.SET), der.SET, der.SEQUENCE));
    const id = der.oidText(members.next(der.OID));
    const { tag, content } = members.opaque() ?? {};
    return members.end(id === '2.5.4.3' && [der.UTF8_STRING, der.PRINTABLE_STRING].includes(tag) ? content.toString('latin1') : undefined);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return undefined;
  }
}
