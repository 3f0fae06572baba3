// The explorer of a report: it lists, searches and opens the values of the page. The address after # says what is
// shown, so that the browser's own history works. Text becomes text nodes alone.
"use strict";
(() => {
const data = JSON.parse(document.getElementById("values").textContent);
const mostLines = 200; // of a list at once

// Text. What cannot be seen, or turns the text around it, is written as an escape, as on the rest of the page.
const unseen = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]|\p{DI}|\p{Variation_Selector}|[\u2800\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]|[\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]|(?<![\p{L}\p{N}]\p{M}{0,3})\p{M}/gu;
const named = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };
function escaped(sign) {
  const n = sign.codePointAt(0), hex = (digits) => n.toString(16).padStart(digits, "0");
  return named[sign] ?? (n < 0x80 ? `\\x${hex(2)}` : n <= 0xffff ? `\\u${hex(4)}` : `\\U${hex(8)}`);
}
const visible = (text) => text.replace(unseen, escaped);
const count = (n, thing) => `${n.toLocaleString("en-US")} ${thing}${n === 1 ? "" : "s"}`;

/** quoted is a name of the evidence, in quotes if it could be taken for anything else, and cut if it is very long. */
function quoted(name) {
  const short = name.length > 300 ? `${name.slice(0, 300)}…` : name;
  return short !== "" && !/[\s"]/.test(short) && visible(short) === short ? short : `"${visible(short.replace(/["\\]/g, "\\$&"))}"`;
}

/** words makes nodes of a text: a name or a digest goes to the next line rather than being torn. */
function words(text) {
  return visible(text).split(/(\s+)/).flatMap((word) => {
    const digest = /[0-9a-f]{32}/i.test(word);
    if (!digest && !/.[-/:.,]./.test(word)) return [word];
    const span = document.createElement("span");
    span.className = digest ? "digest" : "whole";
    for (const part of word.match(digest ? /.{1,8}/gu : /[^/]*\/|[^/]+/gu) ?? []) span.append(part, document.createElement("wbr"));
    span.lastChild.remove();
    return [span];
  });
}

/** element makes an element. Strings among the children become words; empty ones and undefined are left out. */
function element(tag, attributes, ...children) {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) e.setAttribute(name, value);
  for (const child of children.flat()) {
    if (typeof child === "string") e.append(...words(child));
    else if (child !== undefined) e.append(child);
  }
  return e;
}
const link = (address, ...children) => element("a", { href: `#${address}` }, ...children);
const pairs = (...all) => element("dl", { class: "pairs" }, ...all.filter(([, value]) => value !== undefined && value !== "" && value.length !== 0)
  .flatMap(([label, value]) => [element("dt", {}, label), element("dd", {}, value)]));
const card = (style, ...children) => element("article", { class: style }, ...children);
const lines = (all) => element("ul", {}, ...all.map((one) => element("li", {}, one)));

// What there is: events, and marks at their places.
const several = new Set(data.logs.map((log) => log.log_id)).size < data.logs.length;
const logNames = data.logs.map((log) => quoted(log.log_id) + (several ? ` of ${quoted(log.tenant_id)}` : ""));
const clock = (ms) => Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString().replace("T", " ").replace(/(\.000)?Z$/, "") : String(ms);
const range = (first, last) => first === 0 ? "" : last > first ? `${first} to ${last}` : String(first);

const ofEvents = data.events;
const events = ofEvents.log.map((log, i) => ({
  kind: "event", log, first: ofEvents.sequence[i], at: ofEvents.at_ms[i], type: data.names[ofEvents.type[i]],
  transaction: data.names[ofEvents.transaction[i]], copies: ofEvents.copies[i], deliveries: ofEvents.deliveries[i],
  address: `/event/${log}/${ofEvents.sequence[i]}`,
}));
const findings = data.findings.map((f, i) => ({
  kind: "finding", log: f.log, first: f.sequence, last: f.last_sequence, severity: f.severity, code: f.code, text: f.message,
  address: `/finding/${i}`, finding: f,
}));
const incidents = data.incidents.map((one, i) => ({
  kind: "incident", log: -1, first: 0, ...place(findings[one.findings[0]]), severity: one.severity, code: one.name, text: one.summary,
  address: `/incident/${i}`, incident: one,
}));
const gaps = data.gaps.map((g) => ({
  kind: "gap", log: g.log, first: g.first_sequence, last: g.last_sequence, address: `/event/${g.log}/${g.first_sequence}`,
  text: `missing: ${count(g.last_sequence - g.first_sequence + 1, "event")}`,
}));
const totals = (data.totals?.start_ms ?? []).map((at, i) => ({
  kind: "total", log: data.totals.log[i], first: 0, at, type: data.names[data.totals.type[i]],
  text: `${count(data.totals.events[i], "event")} in this ${bucketName()}`,
  address: `/list?${new URLSearchParams({ log: data.totals.log[i], type: data.names[data.totals.type[i]] })}`,
}));

function place(item) {
  return item ? { log: item.log, first: item.first, last: item.last } : {};
}

function bucketName() {
  const hours = data.totals.bucket_ms / 3600000;
  return hours === 1 ? "hour" : hours === 24 ? "day" : `time of ${hours / 24} days`;
}

const byLog = data.logs.map(() => []);
for (const e of events) byLog[e.log].push(e);
const shown = new Map(data.shown.map((e) => [`${data.logs.findIndex((log) => log.log_id === e.log_id && log.tenant_id === e.tenant_id)}/${e.sequence}`, e]));

/** placeIn is the place of the first event of a log at or after a sequence. */
function placeIn(log, sequence) {
  const all = byLog[log] ?? [];
  let low = 0, high = all.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (all[middle].first < sequence) low = middle + 1;
    else high = middle;
  }
  return low;
}
const eventAt = (log, sequence) => byLog[log]?.[placeIn(log, sequence)]?.first === sequence ? byLog[log][placeIn(log, sequence)] : undefined;

/** timeline is everything by time: a mark comes before its first event, or before the next one of the log, by whose time
 * it happened. */
function timeline() {
  const before = new Map(), after = new Map(), all = [], left = [];
  const put = (map, event, mark) => map.set(event, [...(map.get(event) ?? []), mark]);
  for (const mark of [...incidents, ...gaps, ...findings]) {
    const log = byLog[mark.log] ?? [], at = mark.first === 0 ? log.length : placeIn(mark.log, mark.first);
    const near = log[at] ?? log.at(-1);
    if (mark.first === 0 || !near) {
      left.push(mark);
      continue;
    }
    mark.at = near.at;
    mark.bound = near.first === mark.first ? "" : log[at] ? "by " : "after ";
    put(log[at] ? before : after, near, mark);
  }
  let next = 0;
  for (const e of events) {
    while (next < totals.length && totals[next].at <= e.at) all.push(totals[next++]);
    all.push(...(before.get(e) ?? []), e, ...(after.get(e) ?? []));
  }
  return [...all, ...totals.slice(next), ...left];
}
const all = timeline();

// Search.
const fields = { log: (item) => logNames[item.log] ?? "", type: (item) => item.type ?? "", transaction: (item) => item.transaction ?? "",
  code: (item) => item.code ?? "", severity: (item) => item.severity ?? "", sequence: (item) => range(item.first, item.last) };
const kinds = new Map([["", "everything"], ["finding", "findings"], ["event", "events"], ["gap", "gaps"], ["total", "totals"]]);

function textOf(item) {
  item.words ??= [item.kind, item.at === undefined ? "" : clock(item.at), ...Object.values(fields).map((field) => field(item)), item.text ?? ""].join(" ").toLowerCase();
  return item.words;
}

/** found are the items that a search wants. A word such as type:certificate is about that field. */
function found(asked) {
  const wanted = (asked.get("q") ?? "").toLowerCase().split(/\s+/).filter(Boolean).map((word) => {
    const [, name, value] = /^([a-z]+):(.+)$/.exec(word) ?? [];
    return Object.hasOwn(fields, name ?? "") ? (item) => fields[name](item).toLowerCase().includes(value) : (item) => textOf(item).includes(word);
  });
  const log = asked.get("log") ?? "", type = asked.get("type") ?? "", only = asked.get("only") ?? "";
  if (log !== "") wanted.unshift((item) => String(item.log) === log);
  if (type !== "") wanted.unshift((item) => item.type === type);
  if (only !== "") wanted.unshift((item) => item.kind === only);
  const among = only === "finding" ? findings : all; // by severity, not by time
  return among.filter((item) => wanted.every((wants) => wants(item)));
}

// Lines of lists.
const severityTones = { critical: "bad", high: "bad", medium: "warn", info: "soft" };
const severity = (word) => element("strong", { class: severityTones[word] ?? "bad" }, word);

function line(item) {
  const where = element("span", { class: "where" }, logNames[item.log] ?? "", " ", range(item.first, item.last));
  const what = item.kind === "event" ? [quoted(item.type), item.transaction ? ` ${quoted(item.transaction)}` : ""] :
    item.kind === "total" ? [quoted(item.type), ": ", item.text] :
    item.severity ? [severity(item.severity), " ", element("code", {}, item.code), " ", item.text] : [element("strong", { class: item.kind === "gap" ? "bad" : "soft" }, item.text)];
  const tags = item.copies > 1 ? [element("span", { class: "tag warn" }, `${item.copies} copies`)] : [];
  const a = link(item.address, element("time", {}, item.kind === "omitted" ? "" : item.at === undefined ? "no time" : (item.bound ?? "") + clock(item.at)), where, element("span", { class: "what" }, ...what, ...tags.flatMap((tag) => [" ", tag])));
  a.className = `line ${item.kind} ${item.severity ?? ""}`;
  return element("li", {}, a);
}
const listOf = (items) => element("ol", { class: "lines" }, ...items.map(line));

/** around are the items of a log from some events before a range to some after it. */
function around(log, first, last) {
  const near = byLog[log] ?? [], from = placeIn(log, first), to = placeIn(log, last + 1);
  const inside = to - from > 8 ? [...near.slice(from, from + 4), ...near.slice(to - 4, to)] : near.slice(from, to);
  const beside = [...near.slice(Math.max(0, from - 3), from), ...inside, ...near.slice(to, to + 3)];
  const lowest = Math.min(first, beside[0]?.first ?? first), highest = Math.max(last, beside.at(-1)?.first ?? last);
  const marks = gaps.filter((g) => g.log === log && g.first <= highest && g.last >= lowest);
  const items = [...beside, ...marks].sort((a, b) => a.first - b.first);
  return items.flatMap((item, i) => {
    const next = (items[i - 1]?.last ?? items[i - 1]?.first ?? item.first - 1) + 1;
    return item.first > next ? [{ kind: "omitted", log, first: next, last: item.first - 1, text: "not in this list", address: `/event/${log}/${next}` }, item] : [item];
  });
}

// Views.
function whatIsHere() {
  const n = events.length.toLocaleString("en-US"), of = data.total.toLocaleString("en-US");
  const rest = data.totals ? `: those near findings, as there are more than ${data.most.toLocaleString("en-US")}. Of all, the list has totals by ${bucketName()}, log and type.` : ".";
  const left = [[data.more_incidents, "more incident"], [data.more_findings, "more finding"], [data.more_gaps, "more gap"], [data.totals?.left ?? 0, "event in no total"]]
    .filter(([n]) => n > 0).map(([n, what]) => ` Not here: ${n.toLocaleString("en-US")} ${what.replace(/(more \w+|event)/, n === 1 ? "$1" : "$1s")}.`);
  return `Events on this page: ${n} of ${of}${rest} ${count(shown.size, "event")} around findings have their copies here.${left.join("")}`;
}

function choice(name, label, options, asked) {
  const select = element("select", { "data-name": name, "aria-label": label }, ...options.map(([value, text]) => new Option(text, value)));
  select.value = asked.get(name) ?? "";
  select.addEventListener("change", () => go({ [name]: select.value }));
  return select;
}

function viewList(_, asked) {
  const items = found(asked), from = Math.min(Math.max(0, Number(asked.get("from")) || 0), Math.max(0, items.length - 1));
  const types = [...new Set([...events, ...totals].map((e) => e.type))].sort();
  const page = (start, text) => link(`/list?${withParameters(asked, { from: String(start) })}`, text);
  const turn = element("p", { class: "turn" },
    from > 0 ? page(Math.max(0, from - mostLines), `← earlier ${mostLines}`) : undefined, " ",
    from + mostLines < items.length ? page(from + mostLines, `later ${mostLines} →`) : undefined);
  return [element("h2", { tabindex: "-1" }, "Findings and events"),
    element("p", { class: "choices" }, choice("only", "Kind", [...kinds], asked),
      choice("log", "Log", [["", "all logs"], ...logNames.map((name, i) => [String(i), name])], asked),
      choice("type", "Type of event", [["", "all types"], ...types.map((type) => [type, quoted(type)])], asked)),
    element("p", { class: "small soft", role: "status" }, `${count(items.length, "line")}${items.length > mostLines ? `, from ${(from + 1).toLocaleString("en-US")} on` : ""}.`),
    listOf(items.slice(from, from + mostLines)), turn, element("p", { class: "small soft" }, whatIsHere())];
}

function viewFinding([i]) {
  const item = findings[i], f = item?.finding;
  if (!f) return undefined;
  const within = incidents.filter((one) => one.incident.findings.includes(Number(i)));
  const places = f.evidence.map((at) => placeText(at));
  if (f.more_places > 0) places.push(`and ${count(f.more_places, "more place")}`);
  return [element("h2", { tabindex: "-1" }, severity(f.severity), " ", element("code", {}, f.code)),
    element("p", {}, f.message),
    pairs(["Log", logNames[f.log]], ["Events", range(f.sequence, f.last_sequence)], ["Expected", code(f.expected)], ["Found", code(f.found)],
      ["Where", places.length > 0 ? lines(places) : undefined], ["Perhaps", f.explanations.length > 0 ? lines(f.explanations) : undefined],
      ["Next", code(f.next)], ["Incident", within.map((one) => link(one.address, one.code))],
      ["In the report", f.card ? link(f.card, "the card of this finding") : undefined]),
    ...(f.sequence > 0 ? [element("h3", {}, "The events, and those beside them"), listOf(around(f.log, f.sequence, Math.max(f.sequence, f.last_sequence)))] : [])];
}
const code = (text) => text ? element("code", {}, text) : undefined;
const placeText = (at) => `${quoted(at.source)}${at.container ? `, in ${quoted(at.container)}` : ""}, ${count(at.length, "byte")} at ${at.offset}`;

function viewIncident([i]) {
  const one = incidents[i]?.incident;
  if (!one) return undefined;
  const touched = one.transactions.map((id) => link(`/list?${new URLSearchParams({ q: `transaction:${id}` })}`, quoted(id)));
  return [element("h2", { tabindex: "-1" }, quoted(one.name), " ", severity(one.severity)), element("p", {}, one.summary),
    pairs(["In the report", link(one.card, "the card of this incident")],
      ["Transactions", touched.length > 0 ? lines(touched) : undefined], ["Left out", left(one.more_transactions, "more transaction")]),
    element("h3", {}, "Findings"), listOf(one.findings.map((at) => findings[at])), element("p", { class: "small" }, left(one.more_findings, "more finding"))];
}
const left = (n, of) => n > 0 ? `Left out: ${count(n, of)}.` : "";

function viewEvent([log, n]) {
  const at = Number(log), sequence = Number(n), e = eventAt(at, sequence), detail = shown.get(`${at}/${sequence}`);
  if (data.logs[at] === undefined || !Number.isSafeInteger(sequence)) return undefined;
  const touching = findings.filter((f) => f.log === at && f.first > 0 && f.first <= sequence && Math.max(f.first, f.last) >= sequence);
  const missing = gaps.find((g) => g.log === at && g.first <= sequence && g.last >= sequence);
  const head = element("h2", { tabindex: "-1" }, "Event ", String(sequence), " of ", logNames[at]);
  const transaction = e?.transaction ? link(`/list?${new URLSearchParams({ q: `transaction:${e.transaction}` })}`, quoted(e.transaction)) : undefined;
  const facts = e ? pairs(["Occurred", `${clock(e.at)}, by the log's own clock`], ["Type", quoted(e.type)], ["Transaction", transaction],
    ["Copies", `${e.copies}, ${count(e.deliveries, "deliver").replace(/deliver(s?)$/, (_, many) => many ? "deliveries" : "delivery")}`],
    ["In the list", link(`/list?from=${all.indexOf(e)}`, "the events of all logs from here on")]) :
    element("p", {}, missing ? `The case has no such event: ${range(missing.first, missing.last)} are missing.` : "This page has no such event.");
  const beside = neighbours(at, sequence);
  const name = data.logs[at].card;
  return [head, facts, element("p", { class: "beside" }, beside[0] ? step(beside[0], "previous") : undefined, " ", beside[1] ? step(beside[1], "next") : undefined, " ",
    name ? link(name, "the log in the report") : undefined),
    ...(touching.length > 0 ? [element("h3", {}, "Findings about it"), listOf(touching.slice(0, mostLines))] : []),
    ...(detail ? copies(at, detail) : [element("p", { class: "small soft" }, e ? "Its copies are not on this page: it has those of the events next to findings." : "")]),
    element("h3", {}, "Beside it"), listOf(around(at, sequence, missing?.last ?? sequence))];
}

/** neighbours are the events before and after a sequence that are here. */
function neighbours(log, sequence) {
  const at = placeIn(log, sequence), of = byLog[log];
  return [of[at - 1], of[at]?.first === sequence ? of[at + 1] : of[at]];
}

function step(e, which) {
  const a = link(e.address, which === "previous" ? `← ${e.first}` : `${e.first} →`);
  a.dataset.step = which;
  return a;
}

const states = { holds: ["good", "holds"], differs: ["bad", "differs"], absent: ["warn", "that event is not here"] };
const state = (word) => element("strong", { class: states[word][0] }, states[word][1]);

/** copies shows the copies of an event: what each says, where it is, and in what they differ. */
function copies(log, e) {
  const linked = (l) => l.sequence === 0 && !l.hash ? undefined : element("span", {}, state(l.state), ", ",
    l.sequence === 0 ? "the beginning of the log" : link(`/event/${log}/${l.sequence}`, `event ${l.sequence}`));
  const cards = e.copies.map((c, i) => card(c.hash.holds ? "copy" : "copy high", element("h4", {}, e.copies.length > 1 ? `Copy ${i + 1}` : "The one copy"),
    pairs(["Hash", element("span", {}, state(c.hash.holds ? "holds" : "differs"), ", ", element("code", {}, c.hash.recorded), ...(c.hash.holds ? [] : [", computed ", element("code", {}, c.hash.computed)]))],
      ["Previous", linked(c.previous)], ["Skip", linked(c.skip)], ["Next", linked(c.next)], ["Fidelity", c.fidelity],
      ["Where", lines(c.deliveries.map((d) => [placeText(d), d.observed_at ? `, observed ${d.observed_at}` : "", d.batches.length > 0 ? `, batch ${d.batches.map((b) => quoted(b.id)).join(", ")}` : ""].join("")))]),
    ...(c.event ? [element("details", {}, element("summary", {}, "The event as JSON"), pre(JSON.stringify(c.event, null, 2)))] : [])));
  const differences = e.differences.map((d) => card("difference", element("h4", {}, element("code", {}, quoted(d.pointer || "/"))),
    pairs(...d.values.map((value, i) => [`Copy ${i + 1}`, value === "" ? "does not have it" : element("code", {}, value)]))));
  const more = e.more_copies > 0 ? [element("p", {}, `and ${count(e.more_copies, "more")} copies`)] : [];
  return [element("h3", {}, "Copies"), ...cards, ...more, ...(differences.length > 0 ? [element("h3", {}, "In what they differ"), ...differences] : [])];
}
const pre = (text) => element("pre", {}, ...text.split("\n").flatMap((one) => [document.createTextNode(/^ */.exec(one)[0]), one.trimStart(), document.createElement("br")]));

// The bar, and what is shown.
const views = new Map([["list", viewList], ["finding", viewFinding], ["event", viewEvent], ["incident", viewIncident]]);
const search = element("input", { type: "search", placeholder: "Search findings and events", "aria-label": "Search findings and events", "aria-keyshortcuts": "/", autocomplete: "off", spellcheck: "false" });
const bar = element("nav", { class: "explorer-bar", "aria-label": "Report and explorer" }, link("", "Report"), link("/list", "Explore"), search);
const view = element("section", { class: "explorer", "aria-label": "Explorer" });
document.querySelector("header").before(bar, view);
let list = "/list"; // the last one that was shown
let former = ""; // what was shown before

// The cards of the report lead here: that of one finding to it, that of several to their list.
const ofCards = Map.groupBy([...findings, ...incidents], (item) => (item.finding ?? item.incident).card);
for (const [id, [item, ...others]] of ofCards) {
  const several = new URLSearchParams({ only: "finding", log: item.log < 0 ? "" : item.log, q: `code:${item.code}` });
  const open = link(others.length === 0 ? item.address : `/list?${several}`, others.length === 0 ? "explore" : "explore all");
  open.className = "explore";
  document.getElementById(id ?? "")?.querySelector("h3")?.append(open);
}

const address = () => location.hash.slice(1);
const exploring = () => document.body.classList.contains("exploring");
const parameters = () => new URLSearchParams(address().split("?")[1] ?? "");

function withParameters(asked, changed) {
  const next = new URLSearchParams(asked);
  for (const [name, value] of Object.entries(changed)) {
    if (value === "") next.delete(name);
    else next.set(name, value);
  }
  return next;
}

/** go shows the list with another search, without a new step of the history. */
function go(changed) {
  const asked = new URLSearchParams(list.split("?")[1] ?? "");
  asked.delete("from");
  location.replace(`#/list?${withParameters(asked, changed)}`);
}

function show() {
  const [path, asked] = address().split("?"), [start, name, ...rest] = path.split("/");
  const parts = start === "" ? views.get(name)?.(rest, new URLSearchParams(asked ?? "")) : undefined;
  document.body.classList.toggle("exploring", parts !== undefined);
  if (parts === undefined) return leave(path);
  const typing = document.activeElement === search, chosen = document.activeElement?.dataset?.name;
  view.replaceChildren(...parts);
  if (name === "list") list = address();
  if (!typing) search.value = new URLSearchParams(list.split("?")[1] ?? "").get("q") ?? "";
  const back = name === "list" && [...view.querySelectorAll("a.line")].find((a) => a.hash === `#${former}`);
  former = address();
  if (back) back.focus();
  else if (chosen) view.querySelector(`select[data-name="${chosen}"]`)?.focus();
  else if (!typing) {
    view.querySelector("h2").focus({ preventScroll: true });
    scrollTo(0, 0);
  }
}

/** leave shows the report, at a place of it. */
function leave(path) {
  view.replaceChildren();
  former = "";
  const at = path === "" ? undefined : document.getElementById(path);
  const fold = at?.closest("details");
  if (fold) fold.open = true;
  at?.scrollIntoView();
}

/** move moves the focus in the list, or to its first line. */
function move(by) {
  const stops = [...view.querySelectorAll("a")], at = stops.indexOf(document.activeElement);
  const to = at >= 0 ? stops[at + by] : view.querySelector("a.line") ?? stops[0];
  to?.focus();
}

search.addEventListener("input", () => go({ q: search.value.trim() }));
addEventListener("hashchange", show);
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
  const searching = event.target === search, choosing = event.target.tagName === "SELECT", { key } = event;
  const act = () => {
    if (key === "Escape" && searching) {
      if (exploring()) move(0);
      search.blur();
    } else if (key === "Escape" && exploring()) location.hash = former.startsWith("/list") ? "" : list;
    else if (key === "/" && !searching) search.focus();
    else if (exploring() && searching && (key === "Enter" || key === "ArrowDown")) move(0);
    else if (!exploring() || searching || choosing) return false;
    else if (key === "j" || key === "ArrowDown") move(1);
    else if (key === "k" || key === "ArrowUp") move(-1);
    else if (key === "ArrowLeft" || key === "ArrowRight") view.querySelector(`a[data-step=${key === "ArrowLeft" ? "previous" : "next"}]`)?.click();
    else return false;
    return true;
  };
  if (act() !== false) event.preventDefault();
});
show();
})();
