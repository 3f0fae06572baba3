package status

import (
	"testing"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/internal/check"
)

// TestDecide goes over the rules one by one, also those that no log can reach that
// the walk verified.
func TestDecide(t *testing.T) {
	const cp, end = 8, 10
	log := func(r Reason) *Log { return &Log{Reason: r, LastSequence: end, CompleteUpTo: cp} }
	issued := issuance{sequence: 5, signed: true}
	at := func(n uint64) issuance { return issuance{sequence: n, signed: true} }
	gone, twice := revocation{sequence: 7}, revocation{sequence: 7, contradictory: true}
	for name, tt := range map[string]struct {
		log    *Log
		i      issuance
		v      revocation
		proven bool
		status Status
		reason Reason
	}{
		"issued":                       {log(""), issued, revocation{}, false, Issued, ""},
		"at the checkpoint":            {log(""), at(cp), revocation{}, false, Issued, ""},
		"above it":                     {log(""), at(cp + 1), revocation{}, false, Unknown, AfterCheckpoint},
		"at the end":                   {log(""), at(end), revocation{}, false, Unknown, AfterCheckpoint},
		"above the end":                {log(""), at(end + 1), revocation{}, false, Unknown, Unverified},
		"a revocation above the end":   {log(""), issued, revocation{unlinked: true}, false, Unknown, Unverified},
		"revoked":                      {log(""), issued, gone, false, Revoked, ""},
		"and issued above":             {log(""), at(cp + 1), gone, false, Revoked, ""},
		"without an issuance":          {log(""), issuance{}, gone, false, Revoked, ""},
		"in a log with gaps":           {log(LogIncomplete), issued, gone, false, Revoked, ""},
		"beside what is unread":        {log(Unread), issued, gone, false, Revoked, ""},
		"where not all was examined":   {log(LeftOut), issued, gone, false, Revoked, LeftOut},
		"in a bad log":                 {log(LogRejected), issued, gone, false, Revoked, LogRejected},
		"in contradiction":             {log(""), issued, twice, false, Revoked, Contradictory},
		"contradiction without":        {log(""), issued, revocation{contradictory: true}, false, Unknown, Contradictory},
		"issued, in a bad log":         {log(LogRejected), issued, revocation{}, false, Unknown, LogRejected},
		"with gaps":                    {log(LogIncomplete), issued, revocation{}, false, Unknown, LogIncomplete},
		"not all examined":             {log(LeftOut), issued, revocation{}, false, Unknown, LeftOut},
		"not issued":                   {log(""), issuance{}, revocation{}, false, NotIssued, NotInLog},
		"not issued, with gaps":        {log(LogIncomplete), issuance{}, revocation{}, false, Unknown, LogIncomplete},
		"not issued, and in a bundle":  {log(""), issuance{}, revocation{}, true, Unknown, Contradictory},
		"issued, and in a bundle":      {log(""), issued, revocation{}, true, Issued, ""},
		"not signed":                   {log(""), issuance{sequence: 5}, revocation{}, false, Unknown, Unverified},
		"not signed, and a revocation": {log(""), issuance{sequence: 5}, gone, false, Revoked, ""},
		"no log":                       {&Log{Reason: NothingIssued}, issuance{}, revocation{}, false, Unknown, NothingIssued},
	} {
		if s, r := tt.log.decide(tt.i, tt.v, tt.proven); s != tt.status || r != tt.reason {
			t.Errorf("%s: %s, %s; want %s, %s", name, s, r, tt.status, tt.reason)
		}
	}
}

// TestFind: of what a log records of a transaction, the first revocation counts, and
// what does not agree is a contradiction.
func TestFind(t *testing.T) {
	tx, m, other := keyOf("tx"), chain.Hash{1}, chain.Hash{2}
	for name, tt := range map[string]struct {
		transactions, manifests records
		issued                  uint64
		want                    revocation
	}{
		"none":                {nil, nil, 5, revocation{}},
		"one":                 {records{{tx, 7}}, records{{keyOfManifest(m), 7}}, 5, revocation{sequence: 7}},
		"of another":          {records{{keyOf("x"), 7}}, records{{keyOfManifest(other), 7}}, 5, revocation{}},
		"without an issuance": {records{{tx, 7}}, records{{keyOfManifest(other), 7}}, 0, revocation{sequence: 7}},
		"copies of one": {records{{tx, 7}, {tx, 7}}, records{{keyOfManifest(m), 7}, {keyOfManifest(m), 7}}, 5,
			revocation{sequence: 7}},
		"two": {records{{tx, 8}, {tx, 7}}, records{{keyOfManifest(m), 8}, {keyOfManifest(m), 7}}, 5,
			revocation{sequence: 7, contradictory: true}},
		"two, not issued": {records{{tx, 8}, {tx, 7}}, nil, 0, revocation{sequence: 7, contradictory: true}},
		"before": {records{{tx, 4}}, records{{keyOfManifest(m), 4}}, 5,
			revocation{sequence: 4, contradictory: true}},
		"another manifest": {records{{tx, 7}}, records{{keyOfManifest(other), 7}}, 5,
			revocation{sequence: 7, contradictory: true}},
		"another transaction": {nil, records{{keyOfManifest(m), 7}}, 5, revocation{contradictory: true}},
		"above the end":       {records{{tx, 11}}, records{{keyOfManifest(m), 11}}, 5, revocation{unlinked: true}},
		"at the end":          {records{{tx, 10}}, records{{keyOfManifest(m), 10}}, 5, revocation{sequence: 10}},
	} {
		l := ledger{transactions: tt.transactions, manifests: tt.manifests, last: 10}
		l.settle()
		check.Equal(t, l.find(tx, tt.issued, m), tt.want, "%s", name)
	}
}

// TestBundles: a bundle that is about the issuance in the log gives the certificate,
// and one that is about another contradicts it.
func TestBundles(t *testing.T) {
	one := subject{"t", "tx"}
	of := func(m byte, revoked uint64) certificate {
		return certificate{of: one.key(), manifest: keyOfManifest(chain.Hash{m}), serial: "a1", revoked: revoked}
	}
	l := &Log{TenantID: "t", LastSequence: 10, CompleteUpTo: 8}
	issued := issuance{transactionID: "tx", sequence: 5, manifest: chain.Hash{1}, signed: true}
	for name, tt := range map[string]struct {
		all    certificates
		i      issuance
		status Status
		reason Reason
		serial string
	}{
		"none":            {nil, issued, Issued, "", ""},
		"one":             {certificates{of(1, 0)}, issued, Issued, "", "a1"},
		"of another":      {certificates{{of: subject{"u", "tx"}.key(), serial: "a1"}}, issued, Issued, "", ""},
		"revoked":         {certificates{of(1, 0), of(1, 9)}, issued, Revoked, "", "a1"},
		"other manifest":  {certificates{of(1, 0), of(2, 0)}, issued, Unknown, Contradictory, ""},
		"not in the log":  {certificates{of(1, 0)}, issuance{transactionID: "tx"}, Unknown, Contradictory, "a1"},
		"and not revoked": {certificates{of(1, 9)}, issuance{transactionID: "tx"}, Revoked, "", "a1"},
	} {
		s := &Search{certificates: tt.all}
		r := s.row(l, &ledger{last: 10}, tt.i)
		check.That(t, r.Status == tt.status && r.Reason == tt.reason && r.Serial == tt.serial, "%s: %+v", name, r)
	}
}
