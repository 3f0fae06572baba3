// Runs the second verifier over every conformance case of fixtures/cases, and prints where it disagrees with what the case expects:
// the verdict, the first check that fails and, where the case says that it is the only one, that no other fails.

import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Fault } from './json.mjs';
import { verify } from './verify.mjs';

const CASES = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'fixtures', 'cases');

function casesBelow(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.isDirectory()) return casesBelow(join(folder, entry.name));
    return entry.name === 'case.json' ? [folder] : [];
  }).sort();
}

// judge calls a fault of the trust file the verdict "trust-fault", as the cases do.
function judge(folder, policy) {
  const [bundle, trust] = ['bundle.json', 'trust.json'].map((file) => readFileSync(join(folder, file)));
  const certificate = policy.certificate && Buffer.from(policy.certificate, 'base64url');
  try {
    return verify(bundle, trust, { ...policy, certificate });
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { verdict: 'trust-fault', failed: ['trust'], skipped: [], faults: [error.message] };
  }
}

function disagreement(expected, { verdict, failed, skipped }) {
  if (verdict !== expected.verdict) return `verdict ${verdict}, expected ${expected.verdict}`;
  const [first] = verdict === 'inconclusive' ? skipped : failed;
  if (first !== expected.check) return `${first} is first, expected ${expected.check}`;
  return expected.only && failed.length > 1 ? `${failed.join(', ')} fail, expected ${expected.check} alone` : undefined;
}

function compare(folder) {
  const { name, expect, policy = {} } = JSON.parse(readFileSync(join(folder, 'case.json')));
  const result = judge(folder, policy);
  const message = disagreement(expect, result);
  if (message !== undefined) console.log(`${name}: ${message}\n    ${result.faults.join('\n    ')}`);
  return message === undefined;
}

const agreed = casesBelow(CASES).map(compare);
const passed = agreed.filter(Boolean).length;
console.log(`${passed} passed, ${agreed.length - passed} failed`);
process.exitCode = agreed.length > 0 && passed === agreed.length ? 0 : 1;
