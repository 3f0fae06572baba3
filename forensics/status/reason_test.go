package status

import (
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/schemas"
	"github.com/svc-edge/svc-verify/verify"
)

// TestReasons: every reason is explained, decides something, and is in the schemas.
func TestReasons(t *testing.T) {
	source := ""
	for _, name := range []string{"status", "status-row"} {
		text := must.Get(schemas.Source(name))(t)
		source += string(text)
	}
	for _, e := range finding.Codes("status") {
		check.That(t, e.Sentence != "" && e.Next != "" && (e.Effect == finding.Rejects || e.Effect == finding.LeavesOpen),
			"%+v", e)
		check.That(t, strings.Contains(source, `"`+string(e.Code)+`"`), "no schema has %s", e.Code)
		v := verdictOf(e.Code)
		check.That(t, v != verify.Verified, "%s is %s", e.Code, v)
	}
	for _, e := range limitationsOf() {
		check.That(t, strings.Contains(source, `"`+string(e.Code)+`"`), "no schema has %s", e.Code)
	}
	for _, r := range rank[:len(rank)-1] {
		e, _ := finding.Lookup(r)
		check.That(t, e.Group == "status", "%s is not explained", r)
	}
	v := verdictOf("status.unheard-of")
	check.That(t, v == verify.Rejected, "a reason that nobody knows is %s", v)
	v = verdictOf("")
	check.That(t, v == verify.Verified, "no reason is %s", v)
}

// TestBearing iterates over the codes of all findings: a code that rejects or leaves open
// never passes as nothing, unless it states nothing about the events of the log.
func TestBearing(t *testing.T) {
	var nothing []finding.Code
	for _, entry := range finding.Codes("logs") {
		f := finding.Finding{Code: entry.Code, TenantID: "t", LogID: "tenant/t"}
		log := weighFindings([]finding.Finding{f})[facts.TenantLog("t")]
		if entry.Effect == finding.None {
			check.That(t, log.reason == "", "%s, which changes no verdict, is %s", entry.Code, log.reason)
			continue
		}
		if log.reason == "" {
			nothing = append(nothing, entry.Code)
		}
		check.That(t, entry.Effect != finding.LeavesOpen || verdictOf(log.reason) != verify.Rejected,
			"%s, which leaves open, is %s", entry.Code, log.reason)
		rejects := entry.Bearing == finding.Integrity && entry.Effect == finding.Rejects
		check.That(t, !rejects || log.reason == LogRejected || log.reason == "",
			"%s, which rejects, is %s", entry.Code, log.reason)
	}
	want := []finding.Code{finding.SourceDisagrees, finding.JournalLacks, finding.BundleRejected,
		finding.BundleKeyUnknown}
	slices.Sort(nothing)
	slices.Sort(want)
	check.That(t, slices.Equal(nothing, want), "nothing follows from %v, want %v", nothing, want)
}

// TestStanding: of several reasons the worst counts, and findings about another log do not.
func TestStanding(t *testing.T) {
	whole := walk.LogResult{TenantID: "t", LogID: "tenant/t", Verdict: verify.Verified, Events: 9, LastSequence: 9,
		CompleteByOthers: walk.Word{Sequence: 9}}
	about := func(code finding.Code, tenant, log string) finding.Finding {
		return finding.Finding{Code: code, TenantID: tenant, LogID: log}.Complete()
	}
	left := []verdict.LeftOut{{What: verdict.Rest}}
	const own = "tenant/t"
	gap, fork := about(finding.Gap, "t", own), about(finding.Fork, "t", own)
	unread, half := about(finding.SourceUnparseable, "", ""), about(finding.GapUnread, "t", own)
	witness, disputed := about(finding.WitnessOtherHistory, "t", own), about(finding.RecordDisputed, "t", own)
	ownWord := func(l *walk.LogResult) { l.CompleteByOthers, l.CompleteByOwn = walk.Word{}, walk.Word{Sequence: 9} }
	for name, tt := range map[string]struct {
		change  func(*walk.LogResult)
		found   []finding.Finding
		left    []verdict.LeftOut
		reason  Reason
		decides finding.Code
	}{
		"whole":                 {nil, nil, nil, "", ""},
		"another log":           {nil, []finding.Finding{about(finding.Gap, "t", "node/n")}, nil, "", ""},
		"another tenant":        {nil, []finding.Finding{about(finding.Fork, "u", "tenant/u")}, nil, "", ""},
		"a gap":                 {nil, []finding.Finding{gap}, nil, LogIncomplete, finding.Gap},
		"a gap and a fork":      {nil, []finding.Finding{gap, fork}, nil, LogRejected, finding.Fork},
		"a fork, and no time":   {nil, []finding.Finding{fork}, left, LogRejected, finding.Fork},
		"a gap, and no time":    {nil, []finding.Finding{gap}, left, LeftOut, ""},
		"a source":              {nil, []finding.Finding{unread}, nil, Unread, finding.SourceUnparseable},
		"a source and a gap":    {nil, []finding.Finding{unread, gap}, nil, LogIncomplete, finding.Gap},
		"a gap and a source":    {nil, []finding.Finding{gap, unread}, nil, LogIncomplete, finding.Gap},
		"a witness":             {nil, []finding.Finding{witness}, nil, LogRejected, finding.WitnessOtherHistory},
		"a disputed witness":    {nil, []finding.Finding{disputed}, nil, LogOpen, finding.RecordDisputed},
		"a witness elsewhere":   {nil, []finding.Finding{about(finding.WitnessOtherHistory, "u", "tenant/u")}, nil, "", ""},
		"two of one reason":     {nil, []finding.Finding{half, gap}, nil, LogIncomplete, finding.Gap},
		"missing events":        {func(l *walk.LogResult) { l.Missing = 1 }, nil, nil, LogIncomplete, ""},
		"no event":              {func(l *walk.LogResult) { l.Events = 0 }, nil, nil, LogIncomplete, ""},
		"a verdict and no more": {func(l *walk.LogResult) { l.Verdict = verify.Rejected }, nil, nil, LogOpen, ""},
		"no verdict":            {func(l *walk.LogResult) { l.Verdict = "" }, nil, nil, LogOpen, ""},
		"its own word":          {ownWord, nil, nil, AfterCheckpoint, ""},
		"no checkpoint":         {func(l *walk.LogResult) { l.CompleteByOthers = walk.Word{} }, nil, nil, AfterCheckpoint, ""},
	} {
		l := whole
		if tt.change != nil {
			tt.change(&l)
		}
		got := standingOf(&verdict.Result{LeftOut: tt.left}, weighFindings(tt.found), l, 1)
		check.That(t, got.Reason == tt.reason && got.Decides == tt.decides && got.Verdict == verdictOf(tt.reason),
			"%s: %+v, want %s by %s", name, got, tt.reason, tt.decides)
	}
}

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
		"no log": {&Log{Reason: NothingIssued}, issuance{}, revocation{}, false, Unknown,
			NothingIssued},
	} {
		if s, r := tt.log.decide(tt.i, tt.v, tt.proven); s != tt.status || r != tt.reason {
			t.Errorf("%s: %s, %s; want %s, %s", name, s, r, tt.status, tt.reason)
		}
	}
}

// TestFind: of a log's records of a transaction, the first revocation counts, and a
// disagreement is a contradiction.
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
		l.sortRevocations()
		check.Equal(t, l.findRevocation(tx, tt.issued, m), tt.want, "%s", name)
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
		r := s.rowOf(l, &ledger{last: 10}, tt.i)
		check.That(t, r.Status == tt.status && r.Reason == tt.reason && r.Serial == tt.serial, "%s: %+v", name, r)
	}
}
