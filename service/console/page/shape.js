// What answers must look like before anything of them is shown. A page that uses a
// member that is not there would show words of JavaScript, or stop in the middle.

/** Plain is an error whose message is written for people. */
export class Plain extends Error {}

/** words are what a person is told of an error. Those of JavaScript itself, such as
 * that of a member of nothing, help nobody. */
export const words = (error) => (error instanceof Plain ? error.message : "an answer had an unexpected form");

export const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** found says what a value is, in the words of a reader. */
const found = (value) => {
  if (value === undefined || value === null) return "nothing";
  if (Array.isArray(value)) return "a list";
  return { object: "an object", string: "text", number: "a number", boolean: "true or false" }[typeof value];
};

const of = (expected, holds) => (value, place) => {
  if (!holds(value)) throw new Plain(`${place}: expected ${expected}, found ${found(value)}`);
};

export const text = of("text", (value) => typeof value === "string");
export const whole = of("a whole number", Number.isSafeInteger);
export const flag = of("true or false", (value) => typeof value === "boolean");

/** maybe is a member that may be absent. */
export const maybe = (shape) => (value, place) => value === undefined || shape(value, place);

export const listOf = (shape) => (value, place) => {
  if (!Array.isArray(value)) throw new Plain(`${place}: expected a list, found ${found(value)}`);
  value.forEach((item, i) => shape(item, `${place}/${i}`));
};

/** object has these members; others are not looked at. */
export const object = (members) => (value, place) => {
  if (!isObject(value)) throw new Plain(`${place}: expected an object, found ${found(value)}`);
  for (const [name, shape] of Object.entries(members)) shape(value[name], `${place}/${name}`);
};

const node = object({ node_id: text, state: text, policy_version: whole, audit_sequence: whole, version_lag: whole, last_seen: maybe(text), silent_seconds: maybe(whole) });
const integration = object({
  integration_id: text, kind: text, adapter_reference: text, profile_id: text, node_id: maybe(text), revision: whole, state: text,
  error_code: maybe(text), message: maybe(text),
});
const rotation = object({
  transaction_id: text, integration_id: text, kind: text, node_id: maybe(text), status: text, promotion: text, code: maybe(text),
  detail: maybe(text), integration_error_code: maybe(text), steps: maybe(listOf(object({ status: text, at: text }))),
});
const crl = object({ issuer: text, number: whole, state: text, this_update: maybe(text), next_update: maybe(text) });

/** The shapes of the answers that the page shows (service/docs/service.md). */
export const answers = {
  overview: object({
    tenant_id: text, label: text, as_of: text, operator: text,
    profiles: listOf(object({ profile_id: text, names: listOf(text), algorithms: listOf(text) })),
    nodes: listOf(node), quorum: object({ healthy: whole, required: whole, state: text }), integrations: listOf(integration),
    incidents: object({ issuance_paused: flag, reason: maybe(text), resume_request: maybe(object({ request_id: text, by: text, expires_at: text })) }),
    trust_health: object({ status: text, expiring_within_30_days: whole, active_certificates: whole }),
    revocation: object({ crls: listOf(crl), ocsp: object({ responses: whole, attention: whole }) }),
    rotations: listOf(rotation),
  }),
  witness: object({
    checkpoint: maybe(object({ sequence: maybe(whole) })),
    witnesses: object({ received: whole, required: whole, node_ids: listOf(text) }),
  }),
};
