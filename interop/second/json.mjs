// The strict JSON reader of SPEC 1.1 and 1.4, and the canonical form of SPEC 1.3.

const MAX_DEPTH = 32; // SPEC 1.6: nesting
const SPACE = new Set([' ', '\t', '\n', '\r']);
const ESCAPES = { '"': '"', '\\': '\\', '/': '/', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
const NUMBER = /-?(?:0|[1-9][0-9]*)/y;
const ANY_NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const WORDS = /true|false/y;
const HEX4 = /^[0-9a-fA-F]{4}$/;

/** A document, certificate or value breaks a rule of its form. */
export class Fault extends Error {}

/** Two readers can read two things in a text: a member stands twice, or a surrogate is unpaired. */
export class Ambiguous extends Fault {}

/**
 * readJson returns the value of one I-JSON text; objects have no prototype. It throws a Fault at the first broken rule. If any spelling of
 * numbers is admitted, an integer may be written with a fraction or an exponent (SPEC 4.5).
 */
export function readJson(octets, anySpelling = false) {
  let text;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(octets);
  } catch {
    throw new Fault('not valid UTF-8');
  }
  const reader = new Reader(text, anySpelling);
  const value = reader.value(1);
  reader.space();
  if (reader.at < text.length) reader.fail('more text after the document');
  return value;
}

/** isBlank tells whether there is nothing but white space (SPEC 8, "Nothing to check"). */
export function isBlank(octets) {
  return octets.every((octet) => SPACE.has(String.fromCharCode(octet)));
}

class Reader {
  constructor(text, anySpelling) {
    this.text = text;
    this.at = 0;
    this.anySpelling = anySpelling;
  }

  fail(message, Kind = Fault) {
    throw new Kind(`${message} at character ${this.at}`);
  }

  space() {
    while (SPACE.has(this.text[this.at])) this.at++;
  }

  peek() {
    this.space();
    return this.text[this.at];
  }

  expect(character) {
    if (this.peek() !== character) this.fail(`expected ${character}`);
    this.at++;
  }

  value(depth) {
    const first = this.peek();
    if ((first === '{' || first === '[') && depth > MAX_DEPTH) this.fail('nested too deep');
    if (first === '{') return this.object(depth);
    if (first === '[') return this.array(depth);
    if (first === '"') return this.string();
    const word = this.match(WORDS);
    return word === undefined ? this.number() : word === 'true';
  }

  match(pattern) {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0];
    if (found !== undefined) this.at += found.length;
    return found;
  }

  // What follows a number ("1.5", "01", "1e3") is refused by the caller, which expects a comma, a bracket or the end.
  number() {
    const digits = this.match(this.anySpelling ? ANY_NUMBER : NUMBER);
    if (digits === undefined) this.fail('expected a value that SPEC 1.1 admits');
    const number = Number(digits);
    if (!Number.isSafeInteger(number) || (digits === '-0' && !this.anySpelling)) this.fail('number out of range');
    return number + 0; // never -0
  }

  object(depth) {
    const object = Object.create(null);
    this.at++;
    if (this.peek() === '}') return this.close(object);
    for (;;) {
      if (this.peek() !== '"') this.fail('expected a member name');
      const name = this.string();
      if (name in object) this.fail(`member ${name} stands twice`, Ambiguous);
      this.expect(':');
      object[name] = this.value(depth + 1);
      if (this.peek() === '}') return this.close(object);
      this.expect(',');
    }
  }

  array(depth) {
    const array = [];
    this.at++;
    if (this.peek() === ']') return this.close(array);
    for (;;) {
      array.push(this.value(depth + 1));
      if (this.peek() === ']') return this.close(array);
      this.expect(',');
    }
  }

  close(value) {
    this.at++;
    return value;
  }

  string() {
    const parts = [];
    let start = ++this.at;
    for (;;) {
      const unit = this.text.charCodeAt(this.at);
      if (Number.isNaN(unit) || unit < 0x20) this.fail('string not closed, or with a control character');
      if (unit === 0x22 || unit === 0x5c) parts.push(this.text.slice(start, this.at));
      if (unit === 0x22) break;
      this.at++;
      if (unit !== 0x5c) continue;
      parts.push(this.escape());
      start = this.at;
    }
    this.at++;
    return this.scalars(parts.join(''));
  }

  escape() {
    const letter = this.text[this.at++];
    if (letter !== 'u') return ESCAPES[letter] ?? this.fail('unknown escape');
    const digits = this.text.slice(this.at, this.at + 4);
    if (!HEX4.test(digits)) this.fail('bad \\u escape');
    this.at += 4;
    return String.fromCharCode(parseInt(digits, 16));
  }

  // SPEC 1.1: no unpaired surrogate and no noncharacter, raw or escaped.
  scalars(string) {
    for (const character of string) {
      const point = character.codePointAt(0);
      const surrogate = point >= 0xd800 && point <= 0xdfff;
      const noncharacter = (point >= 0xfdd0 && point <= 0xfdef) || (point & 0xfffe) === 0xfffe;
      if (surrogate) this.fail('unpaired surrogate', Ambiguous);
      if (noncharacter) this.fail('noncharacter');
    }
    return string;
  }
}

/** canonical returns the canonical form (RFC 8785) of a value that readJson gave, as text. */
export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object') return JSON.stringify(value);
  const names = Object.keys(value).sort(); // by UTF-16 code units
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(',')}}`;
}
