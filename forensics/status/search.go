package status

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/crosscheck"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/outcome"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/verify"
)

// Search is one question to one case.
type Search struct {
	Head
	c            *store.Case
	root         *trust.Root
	certificates certificates
	subjects     map[string][]string // requested transactions, ascending, by tenant; nil: all
	named        int                 // transactions with the requested serial

	told    map[subject]bool // of the subjects, those that have a row
	pending []Row            // of those that no log has
	several bool             // tenants have the transaction
	count   Counts
	worst   verify.Verdict
	yield   func(Row) error
}

// New prepares a search. Examined is the result of an examination of the case under
// the trust file, as package examine returns it.
func New(ctx context.Context, c *store.Case, root *trust.Root, examined *verdict.Result, q Question) (*Search,
	error) {
	s := &Search{c: c, root: root, worst: verify.Verified, told: map[subject]bool{},
		Head: Head{Question: q, TrustSHA256: examined.TrustSHA256, LeftOut: slices.Clone(examined.LeftOut),
			UnknownKeys: examined.UnknownKeys, Limitations: limitationsOf()}}
	if own := chain.Hash(root.SHA256()).String(); own != examined.TrustSHA256 {
		return nil, fmt.Errorf("the case was examined under the trust file %s, and not %s", examined.TrustSHA256, own)
	}
	weights := weighFindings(examined.Findings)
	for _, l := range slices.Concat(examined.Logs, examined.OfProofs) {
		log := l.Log()
		if log.IsTenant() && (q.TenantID == "" || q.TenantID == l.TenantID) {
			s.Logs = append(s.Logs, standingOf(examined, weights, l, root.MinimumWitnesses()))
		}
	}
	var named []subject
	var err error
	if s.certificates, named, err = readBundles(ctx, c, examined, q); err != nil {
		return nil, err
	}
	s.subjects, s.named = s.subjectsOf(q, named), len(named)
	return s, nil
}

// subjectsOf returns the subjects of a question; nil for everything. Named are the subjects
// that have its serial.
func (s *Search) subjectsOf(q Question, named []subject) map[string][]string {
	switch {
	case q.Of != nil:
		return q.Of
	case q.All():
		return nil
	}
	all := map[string][]string{}
	for _, one := range named {
		all[one.tenantID] = append(all[one.tenantID], one.transactionID)
	}
	if q.TransactionID != "" && q.TenantID != "" {
		all[q.TenantID] = []string{q.TransactionID}
	} else if q.TransactionID != "" {
		for i := range s.Logs {
			all[s.Logs[i].TenantID] = []string{q.TransactionID}
		}
	}
	return all
}

// wants reports whether a transaction is requested.
func (s *Search) wants(tenantID, transactionID string) bool {
	_, asked := slices.BinarySearch(s.subjects[tenantID], transactionID)
	return s.subjects == nil || asked
}

// Rows yields the rows of the answer, by tenant and sequence, and returns its end. A
// transaction that no log has comes last. It is called once.
func (s *Search) Rows(ctx context.Context, yield func(Row) error) (End, error) {
	s.yield = yield
	for i := range s.Logs {
		if err := s.searchLog(ctx, &s.Logs[i]); err != nil {
			return End{}, err
		}
	}
	if err := s.addRest(); err != nil {
		return End{}, err
	}
	return s.endAnswer(), nil
}

// searchLog yields the rows of one log.
func (s *Search) searchLog(ctx context.Context, l *Log) error {
	log := facts.Log{TenantID: l.TenantID, LogID: l.LogID}
	revoked, err := s.readRevocations(ctx, log, l.LastSequence)
	if err != nil {
		return err
	}
	var same copies
	wants := func(id string) bool { return s.wants(l.TenantID, id) }
	for e, err := range crosscheck.ReadRecords(ctx, s.c, s.root, log, []string{event.IssuanceCompleted}, wants) {
		if err != nil {
			return err
		}
		if same.sequence != e.Link.Sequence {
			if err := s.issuances(l, revoked, &same); err != nil {
				return err
			}
			same = copies{sequence: e.Link.Sequence}
		}
		same.addCopy(e)
	}
	if err := s.issuances(l, revoked, &same); err != nil {
		return err
	}
	return s.addAbsent(l, revoked)
}

// readRevocations reads the signed revocations of a log.
func (s *Search) readRevocations(ctx context.Context, log facts.Log, last uint64) (*ledger, error) {
	l := &ledger{last: last}
	types := []string{event.CertificateRevoked} // of all transactions, as it may name the manifest of another
	for e, err := range crosscheck.ReadRecords(ctx, s.c, s.root, log, types, nil) {
		if err != nil {
			return nil, err
		}
		if e.Signed {
			l.transactions = append(l.transactions, record{keyOf(e.TransactionID), e.Link.Sequence})
			l.manifests = append(l.manifests, record{keyOfManifest(e.Digest), e.Link.Sequence})
		}
	}
	l.sortRevocations()
	return l, nil
}

// copies are the issuances that one sequence of a log may record.
type copies struct {
	sequence uint64
	signed   []issuance // of different transactions
	other    *issuance  // the first that is not signed
}

// issuance is the event that records an issuance.
type issuance struct {
	transactionID string
	sequence      uint64
	occurredAt    int64
	manifest      chain.Hash
	signed        bool
}

func (c *copies) addCopy(e *crosscheck.RecordEvent) {
	i := issuance{e.TransactionID, e.Link.Sequence, e.OccurredAt, e.Digest, e.Signed}
	switch {
	case !e.Signed && c.other == nil:
		c.other = &i
	case e.Signed && !slices.Contains(c.signed, i):
		c.signed = append(c.signed, i)
	}
}

// issuances yields the rows of one sequence. An unsigned copy counts for nothing next to a
// signed one.
func (s *Search) issuances(l *Log, revoked *ledger, same *copies) error {
	for _, i := range same.signed {
		if err := s.addRow(s.rowOf(l, revoked, i)); err != nil {
			return err
		}
	}
	if len(same.signed) > 0 || same.other == nil {
		return nil
	}
	return s.addRow(s.rowOf(l, revoked, *same.other))
}

// addAbsent yields rows for transactions that the question names and whose issuance is not in
// the log: at once if there is a revocation or a bundle, otherwise at the end.
func (s *Search) addAbsent(l *Log, revoked *ledger) error {
	for _, id := range s.subjects[l.TenantID] {
		if s.told[subject{l.TenantID, id}] {
			continue
		}
		row := s.rowOf(l, revoked, issuance{transactionID: id})
		if row.RevocationSequence == 0 && row.Serial == "" {
			s.pending = append(s.pending, row)
			continue
		}
		if err := s.addRow(row); err != nil {
			return err
		}
	}
	return nil
}

// addRest yields the last rows: of subjects whose tenant has no log, and then of subjects that no log has.
// The latter are only for a question that lists its transactions, or has no row yet.
func (s *Search) addRest() error {
	here, tenants := map[string]bool{}, map[string]bool{}
	for i := range s.Logs {
		here[s.Logs[i].TenantID] = true
	}
	for _, tenant := range slices.Sorted(maps.Keys(s.subjects)) {
		if here[tenant] {
			continue
		}
		if err := s.addAbsent(&Log{TenantID: tenant, Reason: NothingIssued}, &ledger{}); err != nil {
			return err
		}
	}
	for one := range s.told {
		tenants[one.tenantID] = true
	}
	s.several = len(tenants) > 1
	if s.count.Total() > 0 && s.Question.Of == nil {
		return nil
	}
	for _, row := range s.pending {
		if err := s.addRow(row); err != nil {
			return err
		}
	}
	return nil
}

// addRow yields a row.
func (s *Search) addRow(r Row) error {
	s.count.addStatus(r.Status)
	s.worst = worseVerdict(s.worst, r.Verdict)
	if s.subjects != nil {
		s.told[subject{r.TenantID, r.TransactionID}] = true
	}
	return s.yield(r)
}

// endAnswer returns the answer on the whole question.
func (s *Search) endAnswer() End {
	e := End{Counts: s.count, Verdict: s.worst}
	if s.Question.All() {
		for _, l := range s.Logs {
			e.Verdict = worseVerdict(e.Verdict, l.Verdict)
		}
	}
	switch {
	case s.Question.Serial != "" && s.named == 0:
		e.Reason = SerialUnknown
	case s.Question.Serial != "" && s.named > 1:
		e.Reason = Ambiguous
	case s.count.Total() == 0:
		e.Reason = NothingIssued
	case s.several && s.Question.TransactionID != "":
		e.Reason = Ambiguous
	}
	e.Verdict = worseVerdict(e.Verdict, verdictOf(e.Reason))
	return e
}

// worseVerdict returns the worse of two verdicts.
func worseVerdict(a, b verify.Verdict) verify.Verdict {
	return verify.Verdict(outcome.Worst(outcome.Class(a), outcome.Class(b)))
}
