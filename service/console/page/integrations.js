// Integrations: what the console knows of them, and what an operator may do with
// them.
import { at, button, detail, element, list, name, options, pill, replace, stateOf } from "./elements.js";
import { call, document as documentOf, within } from "./calls.js";
import { object, Plain, text } from "./shape.js";

let known = []; // the integrations that are shown
let profiles = []; // of the policy in force

const path = (i, after = "") => within("api/v1/integrations", i.integration_id, after);
const settings = ({ kind, adapter_reference, profile_id, node_id }, enabled) =>
  ({ kind, adapter_reference, profile_id, ...(node_id ? { node_id } : {}), enabled });

/** showIntegrations shows all integrations. An action is given to act. */
export function showIntegrations(overview, act) {
  known = overview.integrations;
  profiles = overview.profiles;
  replace(at("integrations-body"), list(known, "No integration is assigned.", (i) => [
    name(`${i.kind} · ${i.integration_id}`), pill(i.state, stateOf(i.state)),
    detail(`${i.adapter_reference} → ${i.profile_id} on ${i.node_id || "the cloud"}, revision ${i.revision}`),
    i.error_code ? detail(i.error_code) : "", i.message ? detail(i.message) : "", actions(i, act),
  ]));
  fillForms(overview);
}

function actions(i, act) {
  const id = (what) => `${what}-${i.integration_id}`;
  const offers = [button(id("edit"), "Edit", () => edit(i))];
  if (i.state === "disabled") {
    offers.push(button(id("enable"), "Assign", () => act(async () => {
      await call(path(i), "PUT", settings(i, true));
      return `${i.integration_id} is assigned`;
    })));
  } else {
    offers.push(
      button(id("test"), "Test", () => act(async () => {
        const answer = await documentOf(await call(path(i, "/test"), "POST", {}));
        return typeof answer?.message === "string" ? answer.message : "tested";
      })),
      button(id("disable"), "Disable", () => act(async () => {
        await call(path(i), "PUT", settings(i, false));
        return `${i.integration_id} is disabled`;
      })),
      button(id("unassign"), "Unassign", () => act(async () => {
        await call(path(i), "DELETE");
        return `${i.integration_id} is unassigned`;
      })));
    if (i.node_id) offers.push(button(id("rotate"), "Rotate", () => prepare(i)));
  }
  return element("div", { class: "offers" }, ...offers);
}

function fillForms(overview) {
  options(at("integration-profile"), profiles.map((p) => p.profile_id));
  options(at("integration-node"), overview.nodes.filter((n) => n.state !== "disabled").map((n) => n.node_id));
  options(at("rotate-integration"), known.filter((i) => i.node_id && i.state !== "disabled").map((i) => i.integration_id));
  fillRotation();
}

/** edit fills the form with an integration. */
function edit(i) {
  at("integration-form").open = true;
  const fields = { id: i.integration_id, kind: i.kind, reference: i.adapter_reference, profile: i.profile_id, node: i.node_id };
  for (const [field, value] of Object.entries(fields)) if (value) at(`integration-${field}`).value = value;
  at("integration-enabled").checked = i.state !== "disabled";
  showNode();
  at("integration-reference").focus();
}

/** showNode hides the node of an integration that has none. */
function showNode() {
  at("integration-node-field").hidden = at("integration-kind").value === "certificate_manager";
}

function prepare(i) {
  at("rotate-form").open = true;
  at("rotate-integration").value = i.integration_id;
  fillRotation();
  at("rotate-integration").focus();
}

let filled = ""; // what the form of a rotation was filled for

/** fillRotation offers the names and algorithms of the profile of the chosen
 * integration. */
function fillRotation() {
  const i = known.find((each) => each.integration_id === at("rotate-integration").value);
  const profile = profiles.find((p) => p.profile_id === i?.profile_id) ?? { names: [], algorithms: [] };
  options(at("rotate-algorithm"), profile.algorithms);
  const state = JSON.stringify([i?.integration_id, profile.names]);
  if (state === filled) return;
  filled = state;
  const choices = profile.names.map((text) => element("label", {}, element("input", { type: "checkbox", name: "name", value: text, checked: "" }), text));
  at("rotate-names").replaceChildren(element("legend", {}, "Names"), ...(choices.length > 0 ? choices
    : [element("p", { class: "none" }, i ? `The policy lists no names for ${i.profile_id}.` : "No integration is assigned to a node.")]));
}

async function save() {
  const kind = at("integration-kind").value;
  const id = at("integration-id").value;
  await call(within("api/v1/integrations", id), "PUT", settings({
    kind, adapter_reference: at("integration-reference").value, profile_id: at("integration-profile").value,
    node_id: kind === "certificate_manager" ? "" : at("integration-node").value,
  }, at("integration-enabled").checked));
  return `${id} is saved`;
}

async function rotate() {
  const i = known.find((each) => each.integration_id === at("rotate-integration").value);
  if (!i) throw new Plain("no integration is chosen");
  const names = [...at("rotate-names").querySelectorAll("input:checked")].map((box) => box.value);
  const answer = await documentOf(await call("v1/managed/rotate", "POST", {
    integrationKind: i.kind, integrationId: i.integration_id, names, algorithm: at("rotate-algorithm").value,
    promotionMode: at("rotate-promotion").value, revision: i.revision,
  }));
  object({ transaction_id: text })(answer, "the rotation");
  return `${answer.transaction_id} has begun`;
}

/** listen has the forms do what they are for. */
export function listen(act) {
  const submit = (form, result, f) => at(form).addEventListener("submit", (event) => {
    event.preventDefault();
    act(result, f);
  });
  submit("integration", "integrations-result", save);
  submit("rotate", "rotation-result", rotate);
  at("integration-kind").addEventListener("change", showNode);
  at("rotate-integration").addEventListener("change", fillRotation);
}
