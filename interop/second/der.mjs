// A reader of DER (X.690), and matchers that say which shape a certificate and its extensions have (SPEC 7.12).
// An element is { tag, content, raw }: its identifier octet, its content, and the whole of it. A matcher is
// { accepts(tag), check(element) }, where check throws a Fault.

import { Fault } from './json.mjs';

const MAX_NESTING = 100; // SPEC names no limit for DER; this one only guards the stack

function fail(message) {
  throw new Fault(`certificate: ${message}`);
}

/** elements splits octets into the DER elements that they consist of. */
export function elements(octets) {
  const found = [];
  for (let rest = octets; rest.length > 0; ) {
    const { header, length } = readHeader(rest);
    const raw = rest.subarray(0, header + length);
    if (raw.length < header + length) fail('element is cut off');
    found.push({ tag: rest[0], content: raw.subarray(header), raw });
    rest = rest.subarray(raw.length);
  }
  return found;
}

function readHeader(octets) {
  if (octets.length < 2 || (octets[0] & 0x1f) === 0x1f) fail('bad tag');
  if (octets[1] < 0x80) return { header: 2, length: octets[1] };
  const count = octets[1] & 0x7f;
  if (count < 1 || count > 3 || octets.length < 2 + count) fail('bad length');
  const length = octets.readUIntBE(2, count);
  if (octets[2] === 0 || length < 0x80) fail('length is not minimal');
  return { header: 2 + count, length };
}

/** whole returns the one element that the octets are, after checking that it and all elements inside it are DER. */
export function whole(octets) {
  const found = elements(octets);
  if (found.length !== 1) fail('expected one element and nothing after it');
  checkTree(found[0], 1);
  return found[0];
}

function checkTree(element, depth) {
  if (depth > MAX_NESTING) fail('nested too deep');
  const { tag, content } = element;
  if (tag < 0x40) {
    const rule = UNIVERSAL[tag] ?? fail(`tag ${tag} is not expected in DER`);
    if (!rule(content)) fail(`content of tag ${tag} is not DER`);
  }
  if (tag & 0x20) elements(content).forEach((child) => checkTree(child, depth + 1));
}

const pattern = (expression) => (content) => expression.test(content.toString('latin1'));
const minimalInteger = (c) => c.length > 0 && !(c.length > 1 && ((c[0] === 0 && c[1] < 0x80) || (c[0] === 0xff && c[1] >= 0x80)));

function validUtf8(content) {
  return Buffer.from(content.toString('utf8')).equals(content);
}

function bitString(content) {
  const unused = content[0];
  if (!(unused <= 7) || (content.length === 1 && unused > 0)) return false;
  return (content[content.length - 1] & ((1 << unused) - 1)) === 0 || content.length === 1;
}

function objectIdentifier(content) {
  if (content.length === 0 || content[content.length - 1] >= 0x80) return false;
  return content.every((octet, i) => octet !== 0x80 || (i > 0 && content[i - 1] >= 0x80));
}

function sortedSet(content) {
  const raws = elements(content).map((element) => element.raw);
  return raws.every((raw, i) => i === 0 || Buffer.compare(raws[i - 1], raw) <= 0);
}

const UNIVERSAL = {
  0x01: (c) => c.length === 1 && (c[0] === 0 || c[0] === 0xff),
  0x02: minimalInteger,
  0x03: bitString,
  0x04: () => true,
  0x05: (c) => c.length === 0,
  0x06: objectIdentifier,
  0x0a: minimalInteger,
  0x0c: validUtf8,
  0x12: pattern(/^[0-9 ]*$/),
  0x13: pattern(/^[A-Za-z0-9 '()+,./:=?-]*$/),
  0x14: () => true,
  0x16: pattern(/^[\x00-\x7f]*$/),
  0x17: pattern(/^[0-9]{12}Z$/), // RFC 5280, 4.1.2.5.1
  0x18: pattern(/^[0-9]{14}Z$/), // RFC 5280, 4.1.2.5.2
  0x1a: pattern(/^[\x20-\x7e]*$/),
  0x1c: (c) => c.length % 4 === 0,
  0x1e: (c) => c.length % 2 === 0,
  0x30: () => true,
  0x31: sortedSet,
};

const primitive = (tag) => ({ accepts: (t) => t === tag, check: ({ content }) => UNIVERSAL[tag](content) || fail('bad content') });

export const boolean = primitive(0x01);
export const integer = primitive(0x02);
export const bits = primitive(0x03);
export const octetString = primitive(0x04);
export const oid = primitive(0x06);
export const utf8String = primitive(0x0c);
export const printableString = primitive(0x13);
export const ia5String = primitive(0x16);
export const any = { accepts: () => true, check: () => {} };

/** where narrows a matcher by a condition on the content. */
export const where = (kind, condition) => ({
  accepts: kind.accepts,
  check: (element) => (kind.check(element), condition(element.content) || fail('value not allowed here')),
});

/** stringOf matches the given string tags, with content that the general check has already passed. */
export const stringOf = (...tags) => ({ accepts: (t) => tags.includes(t), check: ({ content }) => content.length > 0 || fail('empty string') });

/** optional marks a field of sequence that may be absent. */
export const optional = (kind) => ({ ...kind, optional: true });

/** sequence matches a SEQUENCE of the fields, in their order. */
export const sequence = (...fields) => ({
  accepts: (tag) => tag === 0x30,
  check: ({ content }) => {
    const children = elements(content);
    for (const field of fields) {
      if (children.length > 0 && field.accepts(children[0].tag)) field.check(children.shift());
      else if (!field.optional) fail('field is missing or of a wrong type');
    }
    if (children.length > 0) fail('sequence has a field too many');
  },
});

const repeated = (tag) => (kind) => ({
  accepts: (t) => t === tag,
  check: ({ content }) => {
    const children = elements(content);
    if (children.length === 0) fail('list is empty');
    children.forEach((child) => (kind.accepts(child.tag) ? kind.check(child) : fail('entry of a wrong type')));
  },
});

/** sequenceOf and setOf match a list of at least one entry. */
export const sequenceOf = repeated(0x30);
export const setOf = repeated(0x31);

/** choice matches what one of the kinds matches. */
export const choice = (...kinds) => ({
  accepts: (tag) => kinds.some((kind) => kind.accepts(tag)),
  check: (element) => kinds.find((kind) => kind.accepts(element.tag)).check(element),
});

/** implicit and constructed give a primitive or constructed kind the context tag n; explicit wraps a kind in it. */
export const implicit = (n, kind) => ({ accepts: (tag) => tag === (0x80 | n), check: kind.check });
export const constructed = (n, kind) => ({ accepts: (tag) => tag === (0xa0 | n), check: kind.check });
export const explicit = (n, kind) => ({ accepts: (tag) => tag === (0xa0 | n), check: sequence(kind).check });

/** oidText returns the dotted form of an object identifier's content. */
export function oidText(content) {
  const arcs = [];
  let arc = 0n;
  for (const octet of content) {
    arc = (arc << 7n) | BigInt(octet & 0x7f);
    if (octet < 0x80) {
      arcs.push(arc);
      arc = 0n;
    }
  }
  const first = arcs[0] < 40n ? 0n : arcs[0] < 80n ? 1n : 2n;
  return [first, arcs[0] - 40n * first, ...arcs.slice(1)].join('.');
}
