// The console page: reads the overview and the newest audit events, hashes them
// anew, and offers what an operator may do.
import { call, read, within } from "./calls.js";
import { at, detail, element, list, name, pill, replace, short, stateOf, time } from "./elements.js";
import { dropOlder, loadEvents, loadOlder, newestTransaction, renderEvents, showEvents, walk } from "./events.js";
import { elapsed, Freshness, now, staleAfter } from "./freshness.js";
import { listen, showIntegrations } from "./integrations.js";
import { showRotations } from "./rotation.js";
import { answers, words } from "./shape.js";
import { placeOf, unverified, verify } from "./verify.js";

const every = 5000; // milliseconds between two readings

const noData = "No current data";
const fresh = new Freshness();
let overview; // that is shown; undefined before the first
const verifying = { label: "Verifying audit chain…" };
let chain = verifying; // what became of the last verification
let checking = false; // whether a person asked for another one, which is under way

const show = (id, ...children) => replace(at(id), ...children);

/** showAge says of when what is shown is. What is old is never shown as if it were
 * the state of now: not in the label, the title or the banner. */
function showAge() {
  const { stale } = fresh;
  document.body.dataset.age = stale ? "stale" : "fresh";
  const label = stale ? noData : overview?.label ?? "…";
  // A chain that did not verify stays so until one did: no answer takes that back.
  const state = checking ? verifying : chain;
  const old = stale && state.label !== unverified;
  const say = (id, text) => at(id).textContent === text || (at(id).textContent = text); // a status is read out when it changes
  say("label", label);
  at("label").dataset.state = stale ? "stale" : stateOf(label);
  say("as-of", stale && overview ? `${fresh.words} · then: ${overview.label}` : fresh.words);
  if (overview || stale) document.title = [label, overview?.tenant_id].filter(Boolean).join(" · ");
  say("chain", old ? noData : state.label);
  at("banner").dataset.state = old ? "stale" : state === verifying ? "busy" : stateOf(state.label);
  say("chain-detail", old ? (overview ? `${fresh.words}: ${chain.label}` : "") : chainDetail());
}

function chainDetail() {
  if (checking) return "";
  const age = Math.floor(elapsed(chain.since ?? last) / 1000);
  const found = age * 1000 > staleAfter ? ` This was found ${age} s ago, and no newer answer came.` : "";
  const details = {
    "Chain verified from genesis": `Every event from #1 to #${chain.to} was hashed anew and is linked.`,
    "Recent events verified": `#${chain.from} to #${chain.to}. Older events are covered by exported proofs.`,
    [unverified]: `Refresh; if it persists, export a proof and investigate as a potential incident.${found}`,
  };
  return details[chain.label] ?? "";
}

/** heard says when a node was last heard: how long ago, if that is overdue. */
function heard(n) {
  if (n.last_seen === undefined) return [];
  return n.state === "offline" && n.silent_seconds !== undefined ? [` · last heard ${n.silent_seconds} s ago`] : [" · seen ", time(n.last_seen)];
}

function showNodes(nodes) {
  show("nodes-body", list(nodes, "No Mesh Node is enrolled: customer approval is impossible.", (n) => [
    name(n.node_id), pill(n.state, stateOf(n.state)),
    detail(`policy ${n.policy_version}${n.version_lag > 0 ? `, ${n.version_lag} behind` : ""} · journal #${n.audit_sequence}`, ...heard(n)),
  ]));
}

function showIncidents({ quorum, incidents, operator }) {
  const words = quorum.state === "fail_closed" ? "Fail closed" : "Available";
  const items = [["Quorum capacity", pill(words, stateOf(quorum.state)), `${quorum.healthy} healthy, ${quorum.required} required`]];
  items.push(["Kill switch", incidents.issuance_paused ? pill("issuance paused", "bad") : pill("issuing", "good"), incidents.reason ?? ""]);
  const request = incidents.resume_request;
  if (request) items.push(["Resume request", pill(`waiting for another operator than ${request.by}`, "warn"), `${request.request_id} by ${request.by}, expires `, time(request.expires_at)]);
  show("incidents-body", list(items, "", ([what, state, ...more]) => [name(what), state, more.some(Boolean) ? detail(...more) : ""]));
  const button = at("switch-button");
  button.textContent = incidents.issuance_paused ? "Request resume" : "Pause issuance";
  button.title = `as the operator ${operator}`;
  button.className = incidents.issuance_paused ? "" : "stop";
  button.dataset.path = incidents.issuance_paused ? "api/v1/issuance/resume-requests" : "api/v1/issuance/pause";
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
    name(`CRL ${c.number}`), pill(c.state, stateOf(c.state)), detail("issuer ", short(c.issuer)),
    ...(c.this_update ? [detail(time(c.this_update), " to ", time(c.next_update))] : [])]);
  const { responses, attention } = revocation.ocsp;
  const ocsp = element("p", {}, `OCSP: ${responses} certificates answered for, `, pill(attention > 0 ? `${attention} need attention` : "none needs attention", attention > 0 ? "bad" : "good"));
  show("revocation-body", crls, ocsp);
}

/** order is a POST about a transaction. */
const order = (what, said) => (transaction) => act("rotation-result", async () => {
  await call(within("api/v1/transactions", transaction, `/${what}`), "POST", {});
  return said;
});
const orders = { promote: order("promotion", "asked the node to verify and promote"), cancel: order("cancellation", "the rotation is cancelled") };

/** act runs what a person asked for, and says how it ended. */
async function act(result, f) {
  at(result).textContent = "…";
  try {
    at(result).textContent = await f();
  } catch (error) {
    at(result).textContent = words(error);
  }
  await refresh();
}

function showWitness(audit) {
  answers.witness(audit, "api/v1/audit/events");
  const facts = [
    ["Checkpoint", audit.checkpoint?.sequence ? `#${audit.checkpoint.sequence}` : "Not anchored"],
    ["Distinct signatures", `${audit.witnesses.received}/${audit.witnesses.required} witnessed`],
    ["Customer nodes", audit.witnesses.node_ids.length > 0 ? audit.witnesses.node_ids.join(", ") : "Waiting for an eligible Mesh Node"],
  ];
  show("witness", ...facts.map(([term, value]) => element("div", {}, element("dt", {}, term), element("dd", {}, value))));
}

function showOverview(next) {
  overview = next;
  at("tenant").textContent = overview.tenant_id;
  at("operator").textContent = `operator ${overview.operator}`;
  showNodes(overview.nodes);
  showIntegrations(overview, (f) => act("integrations-result", f));
  showIncidents(overview);
  showHealth(overview.trust_health);
  showRevocation(overview.revocation);
  show("rotation-body", showRotations(overview.rotations, orders));
}

let last = now(); // when the last reading ended
let reading = false; // whether one is under way that nobody asked for
let begun = 0; // readings
let shown = 0; // the newest of them that was shown

/** refresh brings the page up to date. A reading that is overtaken shows nothing. */
async function refresh() {
  const number = ++begun;
  const since = now();
  const [chained, rest] = await Promise.allSettled([
    loadChain(since), read("api/v1/overview", answers.overview)]);
  if (number < shown) return;
  shown = number;
  checking = false;
  try {
    // First the chain: nothing else that is wrong may hide what was found in it.
    const audit = showChain(valueOf(chained));
    const next = valueOf(rest);
    showOverview(next);
    showWitness(audit);
    at("trouble").hidden = true;
    fresh.took(next.as_of, since);
  } catch (error) {
    at("trouble").textContent = `The console could not be brought up to date: ${words(error)}`;
    at("trouble").hidden = false;
    fresh.failed();
  }
  showAge();
}

/** valueOf is what came of a promise, or throws what went wrong. */
function valueOf(settled) {
  if (settled.status === "rejected") throw settled.reason;
  return settled.value;
}

/** loadChain reads the newest events, and verifies them. */
async function loadChain(since) {
  const audit = await loadEvents();
  return { audit, result: { ...(await verify(audit.events, audit.head)), since } };
}

/** showChain shows what became of the verification, and the events. */
function showChain({ audit, result }) {
  chain = result;
  show("faults", ...chain.faults.slice(0, 8).map((f) => element("li", {}, `${placeOf(f)}: ${f.detail}`)));
  showEvents(audit.events, chain.faults);
  return audit;
}

async function exportProof() {
  const transaction = newestTransaction();
  if (!transaction) return "No transaction is among the loaded events.";
  const response = await call(within("api/v1/transactions", transaction, "/evidence"), "POST", {});
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
    await call(path, "POST", body);
    at("reason").value = "";
    return path.endsWith("pause") ? "issuance is paused" : "another operator has to approve the request";
  });
}

/** press has a button do something, once at a time. */
function press(id, f) {
  at(id).addEventListener("click", async () => {
    at(id).disabled = true;
    try {
      await f();
    } finally {
      at(id).disabled = false;
      renderEvents();
    }
  });
}

press("export", () => act("export-result", exportProof));
press("refresh", async () => {
  checking = true;
  showAge();
  await refresh();
});
press("older", () => act("events-result", async () => {
  await loadOlder();
  return "";
}));
press("newest", () => {
  dropOlder();
  return refresh();
});
at("filter").addEventListener("input", renderEvents);
at("events").addEventListener("keydown", walk);
at("switch").addEventListener("submit", useSwitch);
listen(act);

async function watch() {
  if (reading) return;
  reading = true;
  await refresh();
  reading = false;
  last = now();
}
watch();
new Worker("tick.js").addEventListener("message", () => {
  showAge();
  if (elapsed(last) >= every) watch();
});
