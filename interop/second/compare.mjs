// Runs the second verifier over every conformance case of fixtures/cases, and prints where it disagrees with what the case expects:
// the verdict, the first check that fails and, where the case says that it is the only one, that no other fails. Then the same for the
// contradiction files of fixtures/contradictions: the verdict, and the contradiction or the finding. And for the whole logs of
// fixtures/logs: the verdict, that of the logs, and the codes. And for the packs of fixtures/packs: the verdict, the finding with its line, and what is
// shown.

import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { judgeCase } from './contradiction.mjs';
import { canonical } from './json.mjs';
import { casesBelow, judge } from './judge.mjs';
import { judgeCase as judgeLogs } from './logs.mjs';
import { judgeCase as judgePack } from './pack.mjs';

const FIXTURES = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'fixtures');

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

function compareContradiction(folder) {
  const { name, expect, answer } = judgeCase(folder);
  const members = ['verdict', 'code', 'shows', 'sequence', 'finding', 'witnessed_both'];
  const wrong = members.filter((member) => String(expect[member] ?? '') !== String(answer[member] ?? ''));
  for (const member of wrong) console.log(`${name}: ${member} ${answer[member]}, expected ${expect[member]}`);
  return wrong.length === 0;
}

function compareLogs(folder) {
  const { name, expect, answer } = judgeLogs(folder);
  const logs = Object.fromEntries(Object.keys(expect.logs ?? {}).map((id) => [id, answer.logs[id]]));
  const [wanted, found] = [{ logs: {}, ...expect }, { verdict: answer.verdict, codes: answer.codes, logs }].map(canonical);
  if (wanted !== found) console.log(`${name}: ${found}, expected ${wanted}`);
  return wanted === found;
}

function comparePack(folder) {
  const { name, expect, answer } = judgePack(folder);
  const none = { finding: '', line: 0, disclosed: 0, redacted: 0, seen: [], contradictions: [] };
  const [wanted, found] = [expect, answer].map((one) => canonical({ ...none, ...one }));
  if (wanted !== found) console.log(`${name}: ${found}, expected ${wanted}`);
  return wanted === found;
}

const FOLDERS = { cases: compare, contradictions: compareContradiction, logs: compareLogs, packs: comparePack };
const agreed = Object.entries(FOLDERS).flatMap(([folder, compareOne]) => {
  const found = casesBelow(join(FIXTURES, folder));
  if (found.length === 0) throw new Error(`there are no cases in ${folder}`);
  return found.map(compareOne);
});
const passed = agreed.filter(Boolean).length;
console.log(`${passed} passed, ${agreed.length - passed} failed`);
process.exitCode = passed === agreed.length ? 0 : 1;
