// The console page: reads the overview and the newest audit events, hashes them
// anew, and offers what an operator may do.
import { detail, element, list, name, pill, stateOf, time } from "./elements.js";
import { showRotations } from "./rotation.js";
import { verify } from "./verify.js";

const every = 5000; // milliseconds between two readings
const windowSize = 200; // events

const at = (id) => document.getElementById(id);

/** show replaces what an element holds. What had the focus keeps it. */
function show(id, ...children) {
  const focused = document.activeElement?.id;
  at(id).replaceChildren(...children);
  if (focused && document.activeElement?.id !== focused) at(focused)?.focus();
}

/** call asks the console's server, and throws what a problem document says. */
async function call(path, body) {
  const options = body === undefined ? {} : {
    method: "POST", body: JSON.stringify(body), headers: { "Content-Type": "application/json", "X-Svc-Console": "1" },
  };
  const response = await fetch(`api/${path}`, { cache: "no-store", ...options });
  if (response.ok) return response;
  const problem = await response.json().catch(() => ({}));
  throw new Error(problem.code ? `${problem.code}: ${problem.detail}` : `the server answered ${response.status}`);
}

const read = async (path) => (await call(path)).json();

function showLabel(overview) {
  at("tenant").textContent = overview.tenant_id;
  at("label").textContent = overview.label;
  at("label").dataset.state = stateOf(overview.label);
  document.title = `${overview.label} · ${overview.tenant_id}`;
}

/** short shows the beginning of a digest. */
const short = (digest) => element("code", { title: digest }, digest.slice(0, 16));

function showNodes(nodes) {
  show("nodes-body", list(nodes, "No Mesh Node is enrolled: customer approval is impossible.", (n) => [
    name(n.node_id), pill(n.state, stateOf(n.state)),
    detail(`policy ${n.policy_version}${n.version_lag > 0 ? `, ${n.version_lag} behind` : ""} · journal #${n.audit_sequence}`, ...(n.last_seen ? [" · seen ", time(n.last_seen)] : [])),
  ]));
}

function showIntegrations(integrations) {
  show("integrations-body", list(integrations, "No integration is assigned.", (i) => [
    name(`${i.kind} · ${i.integration_id}`), pill(i.state, stateOf(i.state)),
    detail(`${i.adapter_reference} → ${i.profile_id} on ${i.node_id || "the cloud"}, revision ${i.revision}`),
    i.error_code ? detail(i.error_code) : "", i.message ? detail(i.message) : "",
  ]));
}

function showIncidents(overview) {
  const { quorum, incidents } = overview;
  const words = quorum.state === "fail_closed" ? "Fail closed" : "Available";
  const items = [["Quorum capacity", pill(words, stateOf(quorum.state)), `${quorum.healthy} healthy, ${quorum.required} required`]];
  items.push(["Kill switch", incidents.issuance_paused ? pill("issuance paused", "bad") : pill("issuing", "good"), incidents.reason ?? ""]);
  const request = incidents.resume_request;
  if (request) items.push(["Resume request", pill("waiting for another operator", "warn"), `${request.request_id} by ${request.by}, expires `, time(request.expires_at)]);
  show("incidents-body", list(items, "", ([what, state, ...more]) => [name(what), state, more.some(Boolean) ? detail(...more) : ""]));
  const button = at("switch-button");
  button.textContent = incidents.issuance_paused ? "Request resume" : "Pause issuance";
  button.className = incidents.issuance_paused ? "" : "stop";
  button.dataset.path = incidents.issuance_paused ? "v1/issuance/resume-requests" : "v1/issuance/pause";
}

function figure(number, what, state) {
  return element("div", {}, element("p", state ? { class: "figure", "data-state": state } : { class: "figure" }, String(number)), element("p", { class: "detail" }, what));
}

function showHealth(health) {
  show("health-body", element("div", { class: "figures" },
    figure(health.expiring_within_30_days, "expire within 30 days", health.expiring_within_30_days > 0 ? "warn" : undefined), figure(health.active_certificates, "active certificates"),
    element("p", {}, pill(health.status, stateOf(health.status)))));
}

function showRevocation(revocation) {
  const crls = list(revocation.crls, "No CRL is published yet.", (c) => [
    name(`CRL ${c.number}`), pill(c.state, stateOf(c.state)), detail("issuer ", short(c.issuer)), detail(time(c.this_update), " to ", time(c.next_update))]);
  const { responses, attention } = revocation.ocsp;
  const ocsp = element("p", {}, `OCSP: ${responses} certificates answered for, `, pill(attention > 0 ? `${attention} need attention` : "none needs attention", attention > 0 ? "bad" : "good"));
  show("revocation-body", crls, ocsp);
}

async function promote(transaction) {
  await act("rotation-result", async () => {
    await call(`v1/transactions/${encodeURIComponent(transaction)}/promotion`, {});
    return "asked the node to verify and promote";
  });
}

/** act runs what a person asked for, and says how it ended. */
async function act(result, f) {
  at(result).textContent = "…";
  try {
    at(result).textContent = await f();
  } catch (error) {
    at(result).textContent = error.message;
  }
  await refresh();
}

function showWitness(audit) {
  const facts = [
    ["Checkpoint", audit.checkpoint?.sequence ? `#${audit.checkpoint.sequence}` : "Not anchored"],
    ["Distinct signatures", `${audit.witnesses.received}/${audit.witnesses.required} witnessed`],
    ["Customer nodes", audit.witnesses.node_ids.length > 0 ? audit.witnesses.node_ids.join(", ") : "Waiting for an eligible Mesh Node"],
  ];
  show("witness", ...facts.map(([term, value]) => element("div", {}, element("dt", {}, term), element("dd", {}, value))));
}

function showChain(result) {
  at("chain").textContent = result.label;
  at("banner").dataset.state = stateOf(result.label);
  const details = {
    "Chain verified from genesis": `Every event from #1 to #${result.to} was hashed anew and is linked.`,
    "Recent events verified": `#${result.from} to #${result.to}. Older events are covered by exported proofs.`,
    "Audit chain could not be verified": "Refresh; if it persists, export a proof and investigate as a potential incident.",
  };
  at("chain-detail").textContent = details[result.label] ?? "";
  show("faults", ...result.faults.slice(0, 8).map((f) => element("li", {}, `#${f.sequence}: ${f.detail}`)));
}

function showEvents(events, faults) {
  const broken = new Set(faults.map((f) => f.sequence));
  const rows = events.toReversed().map(({ body, hash }) => element("tr", broken.has(body.sequence) ? { class: "broken" } : {},
    element("td", { class: "number" }, String(body.sequence)), element("td", {}, body.type), element("td", {}, body.transaction_id ?? ""),
    element("td", {}, time(body.occurred_at)), element("td", {}, short(hash))));
  at("events").tBodies[0].replaceChildren(...rows);
}

let loaded = []; // the events that are shown

async function refresh() {
  try {
    const [overview, audit] = await Promise.all([read("v1/overview"), read(`v1/audit/events?limit=${windowSize}`)]);
    showLabel(overview);
    showNodes(overview.nodes);
    showIntegrations(overview.integrations);
    showIncidents(overview);
    showHealth(overview.trust_health);
    showRevocation(overview.revocation);
    show("rotation-body", showRotations(overview.rotations, promote));
    showWitness(audit);
    loaded = audit.events;
    const result = await verify(loaded, audit.head);
    showChain(result);
    showEvents(loaded, result.faults);
    at("trouble").hidden = true;
  } catch (error) {
    at("trouble").textContent = `The console could not be brought up to date: ${error.message}`;
    at("trouble").hidden = false;
  }
}

async function exportProof() {
  const newest = loaded.findLast((event) => event.body.transaction_id);
  if (!newest) return "No transaction is among the loaded events.";
  const transaction = newest.body.transaction_id;
  const response = await call(`v1/transactions/${encodeURIComponent(transaction)}/evidence`, {});
  const file = `svc-evidence-${transaction}.json`;
  const link = element("a", { href: URL.createObjectURL(await response.blob()), download: file });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  return `${file} was exported`;
}

async function useSwitch(event) {
  event.preventDefault();
  const { path } = at("switch-button").dataset;
  const body = { reason: at("reason").value };
  if (path.endsWith("resume-requests")) body.valid_seconds = 900;
  await act("switch-result", async () => {
    await call(path, body);
    at("reason").value = "";
    return path.endsWith("pause") ? "issuance is paused" : "another operator has to approve the request";
  });
}

function busy(button, f) {
  return async () => {
    button.disabled = true;
    try {
      await f();
    } finally {
      button.disabled = false;
    }
  };
}

at("export").addEventListener("click", busy(at("export"), () => act("export-result", exportProof)));
at("refresh").addEventListener("click", busy(at("refresh"), async () => {
  showChain({ label: "Verifying audit chain…", faults: [] });
  at("banner").dataset.state = "busy";
  await refresh();
}));
at("switch").addEventListener("submit", useSwitch);

async function watch() {
  await refresh();
  setTimeout(watch, every);
}
watch();
