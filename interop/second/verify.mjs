// The second verifier. Run it as: node verify.mjs --evidence BUNDLE --trust TRUST [policy]; see README.md.

import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { isOfProven, checksFor, isOfEveryList } from './checks.mjs';
import { Evidence, assuming } from './evidence.mjs';
import { MAX_BUNDLE, readBundle, readTrust } from './form.mjs';
import { Fault, isBlank } from './json.mjs';
import { Report, integer, time } from './kinds.mjs';

const EXIT = { verified: 0, rejected: 1, 'trust-fault': 2, inconclusive: 3 };
const MAX_AGE = 3153600000; // SPEC 2.4, in seconds
const WELL_FORMED = 'bundle.well-formed';

/**
 * verify judges the octets of a bundle by those of a trust file (SPEC 8). The policy may have minimum_approvals, legacy_before, tenant_id,
 * transaction_id, certificate (DER), at, max_age_seconds, status, dns_names and in_force_at. It returns { verdict, failed, empty, skipped, faults } and throws a Fault for a faulty trust file or policy.
 */
export function verify(bundle, trustFile, policy = {}) {
  const { evidence, ...result } = examine(bundle, trustFile, policy);
  return result;
}

/** examine is verify, and returns the evidence too, if there is any. */
export function examine(bundle, trustFile, policy = {}) {
  const trust = readTrust(trustFile);
  checkPolicy(policy);
  const checks = checksFor(policy);
  if (bundle.length <= MAX_BUNDLE && isBlank(bundle)) {
    return { verdict: 'inconclusive', failed: [], empty: [WELL_FORMED], skipped: checks.map(({ id }) => id), faults: [] };
  }
  const { parts, unread, faults } = readBundle(bundle);
  const evidence = new Evidence(parts, trust, policy);
  const result = { failed: faults.length > 0 ? [WELL_FORMED] : [], empty: [], skipped: [], faults };
  for (const { id, needs, sentences } of checks) {
    const isProven = () => ![...result.failed, ...result.empty, ...result.skipped].some(isOfEveryList);
    if (needs.some((member) => unread.has(member)) || (isOfProven(id) && !isProven())) {
      result.skipped.push(id);
      continue;
    }
    const made = sentences(evidence);
    const broken = made.filter(([, holds]) => !holds);
    if (made.length === 0) result.empty.push(id);
    if (broken.length > 0) result.failed.push(id);
    faults.push(...broken.map(([number]) => (number ? `${id}, sentence ${number}` : id)));
  }
  const open = result.empty.length + result.skipped.length > 0;
  const verdict = result.failed.length > 0 ? 'rejected' : open ? 'inconclusive' : 'verified';
  return { verdict, ...result, evidence };
}

/** mayBeGood tells whether a bundle that does not verify would, were its unknown keys pinned (SPEC 8.3). */
export function mayBeGood(bundle, trustFile) {
  const { parts, unread, faults } = readBundle(bundle);
  if (unread.size > 0 || faults.length > 0) return false;
  const evidence = assuming(parts, readTrust(trustFile));
  return checksFor({}).every(({ sentences }) => {
    const made = sentences(evidence);
    return made.length > 0 && made.every(([, holds]) => holds);
  });
}

// checkPolicy is SPEC 2.4; like a fault of the trust file, one here is the caller's error.
function checkPolicy({ minimum_approvals: minimum = 1, legacy_before: limit, at, max_age_seconds: age, status, in_force_at: inForce }) {
  const report = new Report();
  if (![undefined, 'issued', 'revoked'].includes(status)) throw new Fault('a status: issued or revoked');
  if ((at === undefined) !== (age === undefined)) throw new Fault('a time and a largest age: both or neither');
  if (at !== undefined) time(at, 'time', report);
  if (inForce !== undefined) time(inForce, 'time', report);
  if (age !== undefined) integer(1, MAX_AGE)(age, 'largest age', report);
  integer(1, 1024)(minimum, 'minimum approvals', report);
  if (limit !== undefined) time(limit, 'legacy limit', report);
  if (report.hard.length > 0) throw new Fault(report.hard[0]);
}

// readPolicy reads the flags of fixtures/kit/README.md into a policy.
function readPolicy(values) {
  const number = (text) => (text === undefined ? undefined : Number(text.replace(/s$/, '')));
  const pem = values.certificate && readFileSync(values.certificate, 'latin1');
  return {
    minimum_approvals: number(values['minimum-approvals']), legacy_before: values['legacy-before'], tenant_id: values.tenant,
    transaction_id: values.transaction, certificate: pem && Buffer.from(pem.replace(/-----[A-Z ]+-----/g, ''), 'base64'),
    at: values.at, max_age_seconds: number(values['max-age']), status: values.status, in_force_at: values['in-force-at'], dns_names: values.dns,
  };
}

function main() {
  const one = { type: 'string' };
  const { values } = parseArgs({
    options: {
      evidence: one, trust: one, 'minimum-approvals': one, 'legacy-before': one, tenant: one, transaction: one, certificate: one, at: one,
      'max-age': one, status: one, 'in-force-at': one, dns: { type: 'string', multiple: true },
    },
  });
  if (!values.evidence || !values.trust) throw new Fault('usage: node verify.mjs --evidence BUNDLE --trust TRUST [policy]');
  const policy = readPolicy(values);
  checkPolicy(policy);
  const { faults, ...result } = answer(readFileSync(values.evidence), readFileSync(values.trust), policy);
  for (const fault of faults) console.error(fault);
  console.log(JSON.stringify(result));
  return EXIT[result.verdict];
}

/** answer is verify, with a verdict of its own for a trust file that must be refused. */
export function answer(bundle, trustFile, policy) {
  try {
    return verify(bundle, trustFile, policy);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { verdict: 'trust-fault', failed: ['trust'], empty: [], skipped: [], faults: [error.message] };
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  try {
    process.exitCode = main();
  } catch (error) {
    console.error(error.message);
    process.exitCode = 2;
  }
}
