// Judges every case below a directory. Run it as: node judge.mjs DIR; it prints, for each case, one line of JSON with its name, the
// verdict and the checks that failed, were empty or did not run. A case is a directory with case.json (for its name and policy), bundle.json and trust.json.

import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { answer } from './verify.mjs';

/** casesBelow lists the directories of the cases below a folder, ascending. */
export function casesBelow(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.isDirectory()) return casesBelow(join(folder, entry.name));
    return entry.name === 'case.json' ? [folder] : [];
  }).sort();
}

/** judge returns { description, verdict, failed, empty, skipped, faults } of a case; it calls a fault of the trust file the verdict "trust-fault". */
export function judge(folder) {
  const [bundle, trust, text] = ['bundle.json', 'trust.json', 'case.json'].map((file) => readFileSync(join(folder, file)));
  const description = JSON.parse(text);
  const policy = description.policy ?? {};
  const certificate = policy.certificate && Buffer.from(policy.certificate, 'base64url');
  return { description, ...answer(bundle, trust, { ...policy, certificate }) };
}

function main([folder]) {
  for (const path of casesBelow(folder)) {
    const { description: { name }, verdict, failed, empty, skipped, faults } = judge(path);
    console.log(JSON.stringify({ name, verdict, failed, empty, skipped, faults }));
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main(process.argv.slice(2));
