// Runs the second verifier over every conformance case of fixtures/cases, and prints where it disagrees with what the case expects:
// the verdict, the first check that fails and, where the case says that it is the only one, that no other fails.

import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { casesBelow, judge } from './judge.mjs';

const CASES = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'fixtures', 'cases');

function disagreement(expected, { verdict, failed, empty, skipped }) {
  if (verdict !== expected.verdict) return `verdict ${verdict}, expected ${expected.verdict}`;
  const [first] = verdict === 'inconclusive' ? [...empty, ...skipped] : failed;
  if (first !== expected.check) return `${first} is first, expected ${expected.check}`;
  for (const [what, found] of Object.entries({ failed, empty })) {
    if (expected[what] && expected[what].join() !== found.join()) return `${what}: ${found.join(', ')}, expected ${expected[what].join(', ')}`;
  }
  return expected.only && failed.length > 1 ? `${failed.join(', ')} fail, expected ${expected.check} alone` : undefined;
}

function compare(folder) {
  const { description: { name, expect }, ...result } = judge(folder);
  const message = disagreement(expect, result);
  if (message !== undefined) console.log(`${name}: ${message}\n    ${result.faults.join('\n    ')}`);
  return message === undefined;
}

const agreed = casesBelow(CASES).map(compare);
const passed = agreed.filter(Boolean).length;
console.log(`${passed} passed, ${agreed.length - passed} failed`);
process.exitCode = agreed.length > 0 && passed === agreed.length ? 0 : 1;
