// The Rotation view: what each rotation went through, and how it ended.
import { button, detail, element, list, name, pill, stateOf, time } from "./elements.js";

// What a rotation goes through if nothing fails, by promotion mode.
const path = {
  manual: ["requested", "issuing", "delivering", "staged", "promoting", "promoted"],
  automatic_after_health: ["requested", "issuing", "delivering", "promoted"],
};
const modes = { manual: "promoted by hand", automatic_after_health: "promoted automatically, if the health check succeeds" };
const ends = ["promoted", "failed", "denied"];

// What a code says, service/docs/service.md and service/docs/secret-store.md.
const words = {
  promotion_unconfirmed: "Rolled back: the health check did not see the new certificate.",
  promotion_interrupted: "Rolled back: the node was interrupted before the promotion was confirmed.",
  reload_failed: "Rolled back: the reload program could not be run, or failed.",
  delivery_invalid: "Not used: the certificate is not the one that was asked for.",
  adapter_unavailable: "The node cannot write where it delivers.",
  adapter_reference_invalid: "Console and node name different adapters.",
  profile_not_mapped: "Console and node name different profiles.",
  secret_store_not_configured: "The node has no settings of a secret store.",
  store_awaiting_desired_state: "The secret store was not assigned yet.",
  store_unavailable: "The node could not use the secret store: no connection, or its token was refused.",
  store_bootstrap_failed: "The first generation could not be written to the secret store.",
  store_state_invalid: "A generation in the secret store was changed by someone else.",
  store_pointer_invalid: "The pointer in the secret store was changed by someone else.",
  store_recovery_pending: "The node cannot reach the secret store to end what was interrupted.",
  integration_unavailable: "The integration is not in operation.",
  secret_store_integration_unavailable: "The integration is not in operation.",
  integration_binding_mismatch: "The integration has changed since the rotation began.",
  secret_store_integration_binding_mismatch: "The integration has changed since the rotation began.",
  policy_changed: "Another policy came into force.",
  transaction_expired: "It was not decided in time.",
  issuance_paused: "Issuance was paused.",
  quorum_unreachable: "Not enough nodes approve.",
  names_not_allowed: "The policy does not allow these names to the profile.",
  rotation_cancelled: "An operator cancelled it.",
  customer_denied: "The customer's decision was not to allow it.",
  signer_refused: "The signer refused to issue.",
  node_disabled: "A node that took part was disabled.",
};

// What Verify & promote has the node do, by kind of adapter.
const promises = {
  nginx: "reads back what was staged, and has the web server's folder lead to it.",
  secret_store: "checks the staged generation, moves the pointer to it, and moves it back unless the health check sees the new certificate.",
};

const clock = (text) => element("time", { datetime: text, title: `${text} UTC` }, text.slice(11, 19));

/** timeline shows the steps of a rotation, and those to come if it goes on. */
function timeline(r, steps) {
  const ended = ends.includes(r.status);
  const to = ended ? [] : (path[r.promotion] ?? []).slice((path[r.promotion] ?? []).indexOf(r.status) + 1);
  const items = steps.map(({ status, at }, i) => {
    const now = i === steps.length - 1;
    const state = now ? stateOf(status) : "good";
    return element("li", { "data-step": state, ...(now ? { "aria-current": "step" } : {}) }, element("span", {}, status), clock(at));
  });
  items.push(...to.map((status) => element("li", { "data-step": "next" }, element("span", {}, status))));
  return element("ol", { class: "steps", "aria-label": "Steps" }, ...items);
}

/** cause says in words why a rotation ended. */
function cause(r) {
  if (!r.code) return "";
  const why = [element("strong", {}, words[r.code] ?? r.detail ?? ""), " ", element("code", {}, r.code)];
  const own = r.integration_error_code;
  if (own) why.push(" ", words[own] ?? "", " ", element("code", {}, own));
  return element("p", { class: "cause" }, ...why);
}

/** offers offers to cancel a rotation that is not being promoted, and to promote
 * what is staged, and says what that does. */
function offers(r, { promote, cancel }) {
  if (!["requested", "issuing", "delivering", "staged"].includes(r.status)) return "";
  const off = button(`cancel-${r.transaction_id}`, "Cancel", () => cancel(r.transaction_id));
  if (r.status !== "staged") return element("div", { class: "promotion" }, off);
  const id = `promote-${r.transaction_id}`;
  return element("div", { class: "promotion" },
    element("button", { type: "button", id, "aria-describedby": `${id}-what`, onclick: () => promote(r.transaction_id) }, "Verify & promote"),
    element("span", { id: `${id}-what`, class: "what" }, `${r.node_id ?? "The node"} ${promises[r.kind] ?? "verifies what was staged, and puts it in use."}`), off);
}

/** showRotations is the list of the rotations, the newest first. */
export function showRotations(rotations, orders) {
  return list(rotations, "No rotation was asked for.", (r) => {
    const steps = r.steps ?? [];
    const about = [`${r.transaction_id} · on ${r.node_id ?? "its node"} · ${modes[r.promotion] ?? r.promotion}`];
    if (steps.length > 0) about.push(" · since ", time(steps[0].at));
    return [name(`${r.kind} · ${r.integration_id}`), pill(r.status, stateOf(r.status)), detail(...about), timeline(r, steps), cause(r), offers(r, orders)];
  });
}
