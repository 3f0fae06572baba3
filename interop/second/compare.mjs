// Runs the second verifier over the conformance cases that are no proofs, and prints where it disagrees with what a case expects: of the
// contradiction files of fixtures/contradictions the verdict, and the contradiction or the finding; of the whole logs of fixtures/logs the
// verdict, that of the logs, and the codes; of the packs of fixtures/packs the verdict, the finding with its line, and what is shown.

import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { judgeCase } from './contradiction.mjs';
import { canonical } from './json.mjs';
import { casesBelow } from './cases.mjs';
import { judgeCase as judgeLogs } from './logs.mjs';
import { judgeCase as judgePack } from './pack.mjs';

const FIXTURES = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'fixtures');

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

const FOLDERS = { contradictions: compareContradiction, logs: compareLogs, packs: comparePack };
const agreed = Object.entries(FOLDERS).flatMap(([folder, compareOne]) => {
  const found = casesBelow(join(FIXTURES, folder));
  if (found.length === 0) throw new Error(`there are no cases in ${folder}`);
  return found.map(compareOne);
});
const passed = agreed.filter(Boolean).length;
console.log(`${passed} passed, ${agreed.length - passed} failed`);
process.exitCode = passed === agreed.length ? 0 : 1;
