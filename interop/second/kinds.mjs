// What a value can be. A kind is a function (value, place, report) that notes every fault of the value in the report: hard ones
// hinder reading, soft ones (an unknown member, a wrong order, a repeated entry) do not (SPEC 8, "Reading on").

import { canonical } from './json.mjs';
import { isName } from './names.mjs';

/** Report collects the faults of form of one part. */
export class Report {
  hard = [];
  soft = [];
}

const isObject = (value) => typeof value === 'object' && !Array.isArray(value);

/** text is a string that passes the test. */
export const text = (test, what) => (value, place, report) => {
  if (typeof value !== 'string' || !test(value)) report.hard.push(`${place}: not ${what}`);
};

/** word is one of the given strings. */
export const word = (...words) => text((value) => words.includes(value), words.join(' or '));

/** integer is a number in a range (SPEC 1.4). */
export const integer = (least, most = Number.MAX_SAFE_INTEGER) => (value, place, report) => {
  if (!Number.isInteger(value) || value < least || value > most) report.hard.push(`${place}: not an integer from ${least}`);
};

/** object is a closed object (SPEC 1.2). */
export const object = (required, optional = {}) => (value, place, report) => {
  if (!isObject(value)) return report.hard.push(`${place}: not an object`);
  const kinds = { ...required, ...optional };
  for (const name of Object.keys(required)) {
    if (!(name in value)) report.hard.push(`${place}/${name}: missing`);
  }
  for (const name of Object.keys(value)) {
    if (!Object.hasOwn(kinds, name)) report.soft.push(`${place}/${name}: unknown member`);
    else kinds[name](value[name], `${place}/${name}`, report);
  }
};

/** map is an object of 1 to most members whose names pass the test (SPEC 2.1). */
export const map = (test, kind, most = 1024) => (value, place, report) => {
  const names = isObject(value) ? Object.keys(value) : [];
  if (names.length < 1 || names.length > most) return report.hard.push(`${place}: not an object of 1 to ${most} members`);
  for (const name of names) {
    if (!test(name)) report.hard.push(`${place}/${name}: bad member name`);
    kind(value[name], `${place}/${name}`, report);
  }
};

/** list has entries of one kind that rise by their key, each key once (SPEC 1.6, 1.7). */
export const list = (kind, { least = 0, most = 1024, key = (entry) => entry } = {}) => (value, place, report) => {
  if (!Array.isArray(value) || value.length < least || value.length > most) {
    return report.hard.push(`${place}: not a list of ${least} to ${most} entries`);
  }
  const before = report.hard.length;
  value.forEach((entry, i) => kind(entry, `${place}/${i}`, report));
  if (report.hard.length > before) return undefined;
  const keys = value.map(key);
  keys.forEach((current, i) => i > 0 && !(keys[i - 1] < current) && report.soft.push(`${place}/${i}: order`));
  return undefined;
};

/** sized refuses a value whose canonical form is too long (SPEC 1.6). */
export const sized = (most, kind) => (value, place, report) => {
  if (Buffer.byteLength(canonical(value)) > most) report.hard.push(`${place}: too long`);
  else kind(value, place, report);
};

const nesting = (value) => (typeof value === 'object' ? 1 + Math.max(0, ...Object.values(value).map(nesting)) : 0);

/** openObject is the data of an event (SPEC 1.2). */
export const openObject = (value, place, report) => {
  if (!isObject(value) || nesting(value) > 16) report.hard.push(`${place}: not an object of at most 16 levels`);
};

const IDENTIFIER = /^[A-Za-z0-9._:@/-]{1,128}$/;
const SUBJECT = /^[A-Za-z0-9._:@-]{1,100}$/;
const LOG = /^(?:node|tenant)\/[A-Za-z0-9._:@-]{1,100}$/;
const SERIAL = /^[1-9a-f][0-9a-f]{0,39}$/;
const GENERATION = /^[1-9][0-9]{0,15}$/;

export const isIdentifier = (value) => IDENTIFIER.test(value);
export const isGeneration = (value) => GENERATION.test(value) && Number.isSafeInteger(Number(value));

/** nodeKey splits a node key id into [node, generation]; undefined if it is none (SPEC 2.3). */
export const nodeKey = (value) => {
  const [node, generation, ...rest] = value.split('/');
  if (!SUBJECT.test(node) || rest.length > 0) return undefined;
  if (generation !== undefined && (!isGeneration(generation) || generation === '1')) return undefined;
  return [node, generation];
};

/** timeOf gives the milliseconds since 1970 of a time that a kind has passed. */
export const timeOf = (value) => Date.parse(value);

// toISOString writes years from 0000 to 9999 as SPEC 1.5 does, and gives another text for a day that is not real.
function isTime(value) {
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/.test(value)) return false;
  const time = new Date(value);
  return !Number.isNaN(time.getTime()) && time.toISOString() === value;
}

/** isOctets tells whether a string is canonical base64url of a number of octets in a range (SPEC 1.5). */
export const isOctets = (value, least, most = least) => {
  if (value.length > Math.ceil((most * 4) / 3)) return false;
  const decoded = Buffer.from(value, 'base64url');
  return decoded.length >= least && decoded.toString('base64url') === value;
};

export const octets = (least, most = least) => text((value) => isOctets(value, least, most), `base64url of ${least} to ${most} octets`);
export const identifier = text(isIdentifier, 'an identifier');
export const subject = text((value) => SUBJECT.test(value), 'a subject id');
export const logId = text((value) => LOG.test(value), 'a log id');
export const hash = text((value) => /^[0-9a-f]{64}$/.test(value), 'a digest');
export const serial = text((value) => SERIAL.test(value), 'a serial');
export const time = text(isTime, 'a time');
export const name = text(isName, 'a name');
