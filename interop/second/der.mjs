// A reader of DER (X.690), as far as SPEC 7.12 needs it. A value is { tag, content, raw }: its identifier octet, its content, and the
// whole of it.

import { Fault } from './json.mjs';

export const BOOLEAN = 0x01;
export const INTEGER = 0x02;
export const BIT_STRING = 0x03;
export const OCTET_STRING = 0x04;
export const NULL = 0x05;
export const OID = 0x06;
export const UTF8_STRING = 0x0c;
export const PRINTABLE_STRING = 0x13;
export const UTC_TIME = 0x17;
export const GENERALIZED_TIME = 0x18;
export const SEQUENCE = 0x30;
export const SET = 0x31;

/** fail throws a Fault about a certificate. */
export function fail(message) {
  throw new Fault(`certificate: ${message}`);
}

/** values splits octets into the DER values that they consist of. */
export function values(octets) {
  const found = [];
  for (let rest = octets; rest.length > 0; ) {
    const { header, length } = readHeader(rest);
    const raw = rest.subarray(0, header + length);
    if (raw.length < header + length) fail('value is cut off');
    found.push({ tag: rest[0], content: raw.subarray(header), raw });
    rest = rest.subarray(raw.length);
  }
  return found;
}

// A certificate has 65,536 octets at most (SPEC 1.6), so three octets of length are enough.
function readHeader(octets) {
  if (octets.length < 2 || (octets[0] & 0x1f) === 0x1f) fail('bad tag');
  if (octets[1] < 0x80) return { header: 2, length: octets[1] };
  const count = octets[1] & 0x7f;
  if (count < 1 || count > 3 || octets.length < 2 + count) fail('bad length');
  const length = octets.readUIntBE(2, count);
  if (octets[2] === 0 || length < 0x80) fail('length is not minimal');
  return { header: 2 + count, length };
}

/** whole returns the one value that the octets are. */
export function whole(octets) {
  const [value, ...others] = values(octets);
  return value !== undefined && others.length === 0 ? value : fail('not exactly one value');
}

const isInteger = (c) => c.length > 0 && !(c.length > 1 && ((c[0] === 0 && c[1] < 0x80) || (c[0] === 0xff && c[1] >= 0x80)));
const isObjectIdentifier = (c) => c.length > 0 && c.at(-1) < 0x80 && c.every((octet, i) => octet !== 0x80 || (i > 0 && c[i - 1] >= 0x80));

// The first octet counts the unused bits, which are zero.
function isBitString(c) {
  if (c.length < 2) return c[0] === 0;
  return c[0] < 8 && (c.at(-1) & ((1 << c[0]) - 1)) === 0;
}

const CONTENT = {
  [BOOLEAN]: (c) => c.length === 1 && (c[0] === 0 || c[0] === 0xff),
  [INTEGER]: isInteger,
  [BIT_STRING]: isBitString,
  [NULL]: (c) => c.length === 0,
  [OID]: isObjectIdentifier,
};

/** typed returns the value if it is of the type, and of the form that DER gives to that type. */
export function typed(value, tag) {
  if (value?.tag !== tag) fail(`expected a value with tag ${tag}`);
  if (CONTENT[tag] && !CONTENT[tag](value.content)) fail(`content of tag ${tag} is not DER`);
  return value;
}

/** Members reads the members of a structure one after the other. */
export class Members {
  constructor(structure, tag = SEQUENCE) {
    this.rest = values(typed(structure, tag).content);
  }

  next(tag) {
    return typed(this.rest.shift(), tag);
  }

  optional(tag) {
    return this.rest[0]?.tag === tag ? this.next(tag) : undefined;
  }

  opaque() {
    return this.rest.shift();
  }

  /** end tells that no member may follow; it returns the result for the caller to return. */
  end(result) {
    return this.rest.length === 0 ? result : fail('structure has a member too many');
  }
}

/** only returns the one member of a structure. */
export function only(structure, tag, memberTag) {
  const members = new Members(structure, tag);
  return members.end(members.next(memberTag));
}

/** listOf returns the members of a SEQUENCE of at least one. */
export function listOf(structure) {
  const members = values(typed(structure, SEQUENCE).content);
  return members.length > 0 ? members : fail('list is empty');
}

/** bare returns the content of a BIT STRING without unused bits. */
export function bare({ content }) {
  return content[0] === 0 ? content.subarray(1) : fail('bit string has unused bits');
}

/** oidText returns the dotted form of an object identifier. */
export function oidText({ content }) {
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
