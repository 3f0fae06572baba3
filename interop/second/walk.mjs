// The walk over one log (SPEC 13.1 and 13.2): its copies, links and anchors.

import { dirname } from 'node:path';
import { holds } from './ed25519.mjs';
import { nodeOf } from './evidence.mjs';
import { canonical } from './json.mjs';
import { timeOf } from './kinds.mjs';
import { genesis, linkHash, preAuthentication, sequenceOf, skip } from './log.mjs';

export const TOLERANCE = 300000; // SPEC 7.13, in milliseconds
const PROTOCOL = 'svc.audit-event.v1';

/** nodeOfLog is the node of a journal, undefined for the tenant log. */
export const nodeOfLog = (logId) => (logId.startsWith('node/') ? logId.slice(5) : undefined);

/** signs tells whether a signature over a hash holds under a key. */
export function signs(key, hash, signature) {
  return holds(Buffer.from(key, 'base64url'), preAuthentication(PROTOCOL, Buffer.from(hash, 'hex')), Buffer.from(signature, 'base64url'));
}

/** ownKey is the pinned key of a log's owner; undefined if there is none, null if it is another node's. */
export function ownKey(trust, logId, id) {
  const node = nodeOfLog(logId);
  const keys = node === undefined ? trust.audit_keys : trust.nodes;
  if (!Object.hasOwn(keys, id)) return undefined;
  return node === undefined || nodeOf(id) === node ? keys[id] : null;
}

// Copy is one copy of an event, judged by itself.
class Copy {
  constructor(event, file, trust) {
    const key = ownKey(trust, event.body.log_id, event.key_id);
    const computed = linkHash({ event });
    const signed = (hash) => Boolean(key) && signs(key, hash, event.signature);
    Object.assign(this, { event, file, key, computed, sequence: sequenceOf({ event }), at: timeOf(event.body.occurred_at) });
    this.intact = computed === event.hash;
    this.overContent = signed(computed);
    this.overWritten = !this.intact && !this.overContent && signed(event.hash);
    this.valid = this.intact && this.overContent;
    this.hash = this.overContent ? computed : event.hash;
    this.hashBelieved = this.overContent || this.overWritten || (key === undefined && this.intact);
    this.contentBelieved = this.overContent || (key === undefined && this.intact);
  }

  get rank() {
    return [this.valid, this.overContent, this.overWritten, this.hashBelieved].findIndex(Boolean) + 1 || 5;
  }

  get faults() {
    const codes = this.intact ? [] : ['event.hash-mismatch'];
    if (this.key === undefined) codes.push('event.key-unknown');
    else if (this.key === null) codes.push('event.key-of-other-node');
    else if (!this.overContent && !this.overWritten) codes.push('event.signature-invalid');
    return codes;
  }
}

/** Walk is one log: its copies by sequence, and what is wrong with it. */
export class Walk {
  codes = new Set();
  copies = new Map();

  constructor(tenantId, logId, trust) {
    Object.assign(this, { tenantId, logId, trust });
  }

  add(event, file) {
    const copy = new Copy(event, file, this.trust);
    if (!this.copies.has(copy.sequence)) this.copies.set(copy.sequence, []);
    this.copies.get(copy.sequence).push(copy);
  }

  get sequences() {
    return [...this.copies.keys()].sort((a, b) => a - b);
  }

  /** held are the genuine copies of a sequence. */
  held(sequence) {
    return (this.copies.get(sequence) ?? []).filter((copy) => copy.valid);
  }

  /** statements are the genuine events, each once, ascending. */
  get statements() {
    return this.sequences.flatMap((n) => [...new Map(this.held(n).map((copy) => [copy.hash, copy])).values()]);
  }

  judge(anchors) {
    this.main = new Map(); // the copy that stands for its sequence
    for (const n of this.sequences) this.judgeCopies(n);
    this.strays = this.unconnected(anchors);
    if (this.strays.length > 0) this.codes.add('chain.unconnected');
    this.spine = this.attested(this.sequences.filter((n) => !this.strays.includes(n)), anchors);
    this.judgeLinks();
    this.judgeAnchors(anchors);
  }

  judgeCopies(sequence) {
    const copies = this.copies.get(sequence);
    this.main.set(sequence, copies.toSorted((a, b) => a.rank - b.rank)[0]);
    const histories = new Set(this.held(sequence).map((copy) => copy.hash));
    const previous = new Set(this.held(sequence).map((copy) => copy.event.previous_hash));
    if (histories.size > previous.size) this.codes.add('chain.fork');
    for (const copy of copies.filter((one) => !one.valid)) {
      if (histories.size > 0 && !(copy.key === undefined && copy.intact)) this.codes.add('event.altered-copy');
      else copy.faults.forEach((code) => this.codes.add(code));
    }
  }

  // unconnected lists the sequences that SPEC 13.2 calls so.
  unconnected(anchors) {
    const all = this.sequences;
    const top = Math.max(0, ...anchors.map((anchor) => anchor.sequence));
    for (let i = 1; i < all.length; i++) {
      const [before, after] = [this.main.get(all[i - 1]), this.main.get(all[i])];
      const rest = all.slice(i);
      const firsts = rest.filter((n) => !this.copies.has(n - 1));
      const alone = firsts.every((n) => new Set(this.copies.get(n).map((copy) => copy.file)).size === 1);
      const skipped = all[i] - all[i - 1] - 1;
      if (skipped < 100 || all[i] <= top || rest.length > 16 || !alone || !before.contentBelieved) continue;
      if (rest.every((n) => this.held(n).length > 0) && skipped > this.growth(i, after.at)) return rest;
    }
    return [];
  }

  // attested leaves out the last sequences if their owner did not sign them as they are, unless an anchor or a link reaches them.
  attested(all, anchors) {
    const top = Math.max(0, ...anchors.map((anchor) => anchor.sequence));
    let end = all.length;
    while (end > 0 && all[end - 1] > top && this.held(all[end - 1]).length === 0) end--;
    const follows = (n) => {
      const [copy, before] = [this.main.get(n), this.main.get(all[end - 1])];
      const previous = before?.hash ?? genesis(this.tenantId, this.logId);
      return n === (all[end - 1] ?? 0) + 1 && copy.hashBelieved && copy.event.previous_hash === previous;
    };
    while (end < all.length && follows(all[end])) end++;
    return all.slice(0, end);
  }

  // growth is ten times as many events as the log grew by, up to one of its events, in the time from that one to another time.
  growth(events, at) {
    const [first, last] = [this.main.get(this.sequences[0]), this.main.get(this.sequences[events - 1])];
    const span = Math.max(0, at - last.at) + TOLERANCE;
    return events < 2 || last.at <= first.at ? span : Math.floor((10 * (events - 1) * span) / (last.at - first.at));
  }

  // mayBeUnread tells whether what is missing next to an event may be in a span that was not read.
  mayBeUnread(...sequences) {
    return sequences.some((n) => (this.copies.get(n) ?? []).some((copy) => copy.file.unread > 0));
  }

  judgeLinks() {
    if (this.spine.length > 0 && this.spine[0] > 1) this.codes.add('journal.head-missing');
    this.spine.forEach((n, i) => {
      const copies = this.held(n).length > 0 ? this.held(n) : [this.main.get(n)].filter((copy) => copy.contentBelieved);
      const before = this.spine[i - 1];
      if (before !== undefined && before < n - 1) this.codes.add(this.gapBetween(before, n));
      if (copies.some((copy) => !this.names(n - 1, copy.event.previous_hash))) this.codes.add('chain.link-broken');
      if (copies.some((copy) => !this.names(skip(n), copy.event.skip_hash))) this.codes.add('chain.link-broken');
    });
  }

  gapBetween(before, after) {
    if (this.mayBeUnread(before, after)) return 'chain.gap-unread';
    const filesOf = (n) => this.copies.get(n).map((copy) => copy.file.path.replace(/\.(gz|zst)$/, '').replace(/[0-9]/g, ''));
    const ofOneCopy = filesOf(before).some((a) => filesOf(after).some((b) => a === b || dirname(a) === dirname(b)));
    return ofOneCopy ? 'chain.gap' : 'chain.gap-between-copies';
  }

  // names tells whether a hash is that of an event, or whether that is not known.
  names(sequence, hash) {
    if (sequence === 0) return hash === genesis(this.tenantId, this.logId);
    const known = (this.copies.get(sequence) ?? []).filter((copy) => copy.hashBelieved).map((copy) => copy.hash);
    return known.length === 0 || known.includes(hash);
  }

  judgeAnchors(anchors) {
    const [last] = this.spine.slice(-1);
    if (last === undefined && anchors.length > 0) this.codes.add('journal.absent');
    for (const anchor of anchors) {
      const split = anchors.some((other) => other.sequence === anchor.sequence && other.hash !== anchor.hash);
      if (split) this.codes.add('anchor.split-view');
      if (last !== undefined && anchor.sequence > last) this.codes.add(this.mayBeUnread(last) ? 'journal.tail-unread' : 'journal.tail-missing');
      if (!split && this.copies.has(anchor.sequence) && !this.names(anchor.sequence, anchor.hash)) this.codes.add('anchor.mismatch');
      const earlier = (other) => other.createdAt < anchor.createdAt - TOLERANCE && other.sequence > anchor.sequence;
      if (anchor.createdAt !== undefined && anchors.some(earlier)) this.codes.add('checkpoint.rollback');
    }
  }

  /** isWholeAround tells whether the log is whole around a time, by a margin in milliseconds (SPEC 13.5). */
  isWholeAround(at, margin, anchors) {
    return this.stretches().some((stretch) => {
      const [first] = stretch;
      const later = stretch.some((copy) => copy.at > at + margin && anchors.some((a) => a.sequence === copy.sequence && a.hash === copy.hash));
      return later && (first.sequence === 1 || first.at < at - margin);
    });
  }

  /** isWholeUpTo tells whether every event up to a sequence is here and follows the one before. */
  isWholeUpTo(sequence) {
    return this.stretches().some((stretch) => stretch[0].sequence === 1 && stretch.at(-1).sequence >= sequence);
  }

  // stretches are the parts in which each event is genuine and follows the one before.
  stretches() {
    const all = [];
    for (const copy of this.statements) {
      const before = all.at(-1)?.at(-1);
      if (before && before.sequence === copy.sequence - 1 && before.hash === copy.event.previous_hash) all.at(-1).push(copy);
      else all.push([copy]);
    }
    return all;
  }
}

/** reportOf returns { anchor } of a node.reported event, or { code } if it is not valid (SPEC 4.4). */
export function reportOf({ body: { tenant_id: tenantId, data } }, trust) {
  const link = { sequence: data.audit_sequence, previous_hash: data.previous_hash, skip_hash: data.skip_hash, body_sha256: data.body_sha256 };
  const key = ownKey(trust, `node/${data.node_id}`, data.key_id);
  if (linkHash(link) !== data.audit_head) return { code: 'report.signature-invalid' };
  if (!key) return { code: key === undefined ? 'report.key-unknown' : 'report.signature-invalid' };
  if (!signs(key, data.audit_head, data.signature)) return { code: 'report.signature-invalid' };
  return { anchor: { tenantId, logId: `node/${data.node_id}`, sequence: data.audit_sequence, hash: data.audit_head } };
}

/** checkpointAnchor returns { anchor } of a checkpoint, or { code } if its signature does not hold. */
export function checkpointAnchor({ statement, key_id: id, signature }, trust) {
  if (!Object.hasOwn(trust.audit_keys, id)) return { code: 'anchor.key-unknown' };
  const message = preAuthentication(statement.protocol, canonical(statement));
  if (!holds(Buffer.from(trust.audit_keys[id], 'base64url'), message, Buffer.from(signature, 'base64url'))) return { code: 'anchor.signature-invalid' };
  const { tenant_id: tenantId, log_id: logId, sequence, head_hash: hash, created_at: time } = statement;
  const anchor = { tenantId, logId, sequence, hash, createdAt: timeOf(time) };
  return { anchor };
}
