// Names of a certificate as SPEC 7.3 writes them.

import { isIPv6 } from 'node:net';

const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const DNS = new RegExp(`^(?:\\*\\.)?${LABEL}(?:\\.${LABEL})*$`);
// A reader of URLs takes a name that ends so for an IPv4 address.
const NUMBER = /(?:^|\.)(?:[0-9]+|0x[0-9a-f]*)$/;
const OCTET = '(?:0|[1-9][0-9]?|1[0-9]{2}|2[0-4][0-9]|25[0-5])';
const IPV4 = new RegExp(`^${OCTET}(?:\\.${OCTET}){3}$`);

const URI = /^[A-Za-z][A-Za-z0-9+.-]*:(?:[A-Za-z0-9._~:/?#[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+$/;

const RULES = {
  dns: (rest) => rest.length <= 253 && DNS.test(rest) && !NUMBER.test(rest),
  ip: (rest) => IPV4.test(rest) || isCanonicalIpv6(rest),
  uri: (rest) => URI.test(rest),
  email: (rest) => /^[^@]+@[^@]+$/.test(rest),
};

/** isName tells whether a string is a name of SPEC 7.3. */
export function isName(text) {
  const [, prefix, rest] = /^(dns|ip|uri|email):(.+)$/.exec(text) ?? [];
  return prefix !== undefined && text.length <= 1024 && /^[\x21-\x7e]*$/.test(text) && RULES[prefix](rest);
}

function isCanonicalIpv6(text) {
  if (!/^[0-9a-f:]*$/.test(text) || !isIPv6(text)) return false;
  const [head, tail] = text.split('::').map((side) => (side === '' ? [] : side.split(':')));
  const groups = tail === undefined ? head : [...head, ...Array(8 - head.length - tail.length).fill('0'), ...tail];
  const octets = Buffer.from(groups.map((group) => group.padStart(4, '0')).join(''), 'hex');
  const mapped = octets.toString('hex').startsWith('00000000000000000000ffff');
  return !mapped && ipText(octets) === text;
}

/** ipText writes 4 or 16 octets as an address; the longest run of zero groups, of two at least, is cut out (RFC 5952, 4.2). */
export function ipText(octets) {
  if (octets.length === 4) return octets.join('.');
  const groups = octets.toString('hex').match(/..../g).map((group) => parseInt(group, 16).toString(16));
  let best = { start: 0, length: 1 };
  for (let start = 0; start < 8; start++) {
    let end = start;
    while (groups[end] === '0') end++;
    if (end - start > best.length) best = { start, length: end - start };
  }
  if (best.length < 2) return groups.join(':');
  return `${groups.slice(0, best.start).join(':')}::${groups.slice(best.start + best.length).join(':')}`;
}
