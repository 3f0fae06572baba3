// The transactions, and the certificates that expire soon.
import { at, detail, list, name, pill, replace, short, stateOf, time, visible } from "./elements.js";
import { read } from "./calls.js";
import { answers } from "./shape.js";

const pageSize = 25;
let after = ""; // the transaction before the page that is shown, "" for the newest
let last = ""; // the last one of that page

/** loadTransactions reads the page of transactions that is shown. */
export const loadTransactions = () => read(`api/v1/transactions?limit=${pageSize}${after === "" ? "" : `&after=${encodeURIComponent(after)}`}`, answers.transactions);

/** loadExpiring reads the certificates that expire soon. */
export const loadExpiring = () => read("api/v1/certificates/expiring", answers.expiring);

/** turn goes on to older transactions, or back to the newest. */
export function turn(older) {
  after = older ? last : "";
}

/** use says what became of a certificate: one of a rotation that is not in use is
 * not shown as if it were. */
export function use(t) {
  if (t.status !== "issued" || !t.rotation || t.rotation.status === "promoted") return t.status;
  return t.rotation.status === "failed" || t.rotation.status === "denied" ? "unused" : t.rotation.status;
}

function about(t) {
  const parts = [`${t.transaction_id} · ${t.workload_profile}`];
  if (t.certificate_serial) parts.push(" · serial ", short(t.certificate_serial));
  if (t.not_after) parts.push(" · expires ", time(t.not_after));
  return parts;
}

const title = (t) => name(visible((t.names ?? []).join(", ") || t.workload_profile));

/** showTransactions shows a page of transactions. */
export function showTransactions({ transactions }) {
  last = transactions.at(-1)?.transaction_id ?? after;
  at("transactions-older").disabled = transactions.length < pageSize;
  at("transactions-newest").disabled = after === "";
  replace(at("transactions-body"), list(transactions, "There is no transaction.", (t) => [
    title(t), pill(use(t), stateOf(use(t))), detail(...about(t)), t.code ? detail(`${t.code}: ${visible(t.detail ?? "")}`) : "",
  ]));
}

/** showExpiring shows the certificates that expire soon, the next one first. */
export function showExpiring({ certificates, total }) {
  replace(at("expiring-body"), list(certificates, "No certificate expires within 30 days.", (t) => [
    title(t), pill(use(t), stateOf(use(t))), detail(...about(t)),
  ]));
  at("expiring-more").textContent = total > certificates.length ? `and ${total - certificates.length} more` : "";
}
