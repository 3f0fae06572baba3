package server

import (
	"slices"
	"sort"
	"time"

	"github.com/svc-edge/svc-verify/harness/consent"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/form"
	"github.com/svc-edge/svc-verify/service/httpd"
)

// Statements that a node signs go into evidence as they are. One statement that is not of the
// form of SPEC 7 would make the whole bundle malformed, so each is judged when it arrives.

// clockTolerance is how far apart two clocks may be, SPEC 7.13.
const clockTolerance = 300 * time.Second

// signedBy opens an envelope that the node itself must have signed.
func (t *tenant) signedBy(n *node, envelope seal.Object, protocol string) (seal.Object, error) {
	f := readFields(envelope)
	f.Object("statement")
	f.Text("key_id", form.Identifier)
	f.Text("signature", form.Octets)
	if err := f.close(); err != nil {
		return nil, err
	}
	statement, err := t.roster.Open(envelope, protocol)
	if err != nil {
		return nil, httpd.Invalid("%s", err)
	}
	if found := seal.Text(statement, "node_id"); found != n.id {
		return nil, httpd.Forbidden("expected a statement of %s, found one of %s", n.id, found)
	}
	return statement, nil
}

// statementForm begins to read a statement that was opened: the members that all of them have
// are known.
func statementForm(statement seal.Object) *fields {
	f := readFields(statement)
	f.Know("protocol", "tenant_id", "node_id")
	return f
}

// digests reads a member that must be exactly these digests, in ascending
// order.
func (f *fields) digests(name string, want []string) {
	slices.Sort(want)
	if found := f.Texts(name); !slices.Equal(found, want) {
		f.Fail(name, "those of the transaction, in ascending order")
	}
}

// terms reads a member that must be the terms of the transaction.
func (f *fields) terms(t *transaction) {
	if !consent.SameTerms(f.Object("terms"), t.Case.Terms) {
		f.Fail("terms", "those of the transaction")
	}
}

// checkApproval checks the form of an approval, SPEC 7.5, and that it is in
// force.
func checkApproval(t *transaction, statement seal.Object, now time.Time) error {
	f := statementForm(statement)
	f.Word("transaction_id", t.id())
	f.terms(t)
	relied := seal.StatementDigests(t.Case.Capability)
	if f.Word("decision", "allow", "deny") == "deny" {
		relied = nil
	}
	f.digests("capability_evidence", relied)
	decided, expires := f.Time("decided_at"), f.Time("expires_at")
	if err := f.close(); err != nil {
		return err
	}
	if decided.After(now.Add(clockTolerance)) || !expires.After(now) {
		return httpd.Invalid("the approval is in force from %s to %s, not at %s", seal.Time(decided),
			seal.Time(expires), seal.Time(now))
	}
	return nil
}

// checkDecision checks the form of the customer's decision, SPEC 7.6.
func checkDecision(t *transaction, statement seal.Object) error {
	f := statementForm(statement)
	f.Word("transaction_id", t.id())
	f.Word("trust_domain", "customer")
	f.Word("decision", "allow", "deny")
	f.terms(t)
	f.digests("capability_evidence", seal.StatementDigests(t.Case.Capability))
	f.digests("approvals", seal.StatementDigests(t.Case.Approvals))
	f.Time("decided_at")
	return f.close()
}

// checkCapability checks the form of capability evidence, SPEC 7.7, and that it is the
// requested one.
func checkCapability(statement seal.Object, profile, capability string) error {
	f := statementForm(statement)
	f.Word("workload_profile", profile)
	f.Word("capability", capability)
	f.Time("observed_at")
	f.Time("expires_at")
	return f.close()
}

// checkReceipt checks the form of a witness receipt, SPEC 5.1, and that it is
// for this checkpoint.
func checkReceipt(receipt, checkpoint seal.Object) error {
	f := statementForm(receipt)
	f.Word("log_id", seal.Text(checkpoint, "log_id"))
	f.Word("head_hash", seal.Text(checkpoint, "head_hash"))
	f.Word("checkpoint_sha256", seal.Digest(checkpoint))
	sequence := seal.Integer(checkpoint, "sequence")
	f.Number("sequence", sequence, sequence)
	witnessed := f.Time("witnessed_at")
	if err := f.close(); err != nil {
		return err
	}
	created, err := seal.ParseTime(seal.Text(checkpoint, "created_at"))
	if err != nil || created.After(witnessed.Add(clockTolerance)) {
		return httpd.Invalid("witnessed_at: expected a time after %s", seal.Text(checkpoint, "created_at"))
	}
	return nil
}

// checkReport checks the form of a node's report, SPEC 4.4.
func checkReport(report seal.Object, nodeID string) error {
	f := readFields(report)
	f.Word("node_id", nodeID)
	f.Number("audit_sequence", 1, form.Largest)
	for _, name := range []string{"audit_head", "previous_hash", "skip_hash", "body_sha256"} {
		f.Text(name, form.Digest)
	}
	f.Text("key_id", form.Identifier)
	f.Text("signature", form.Octets)
	return f.close()
}

// Limits of a request's content.
const (
	maximumNames  = 100
	maximumName   = 1024
	maximumOctets = 64 << 10
)

// fields reads members that a caller sent. A fault in it is a problem of the request.
type fields struct{ *form.Reader }

func readFields(o seal.Object) *fields { return &fields{form.Read(o)} }

// close returns the first fault; a member that no one read is one.
func (f *fields) close() error {
	if err := f.Close(); err != nil {
		return httpd.Invalid("%s", err)
	}
	return nil
}

// names reads a member that is a list of different texts, and sorts it as SPEC
// 1.7 asks.
func (f *fields) names(name string) []string {
	texts := f.Texts(name)
	sort.Strings(texts)
	long := func(s string) bool { return len(s) > maximumName }
	if len(texts) == 0 || len(texts) > maximumNames || slices.ContainsFunc(texts, long) ||
		len(slices.Compact(slices.Clone(texts))) != len(texts) {
		f.Fail(name, "1 to %d different texts of at most %d characters", maximumNames, maximumName)
	}
	return texts
}

// octets reads a member that is base64url.
func (f *fields) octets(name string) []byte {
	b, err := seal.Unbase64(f.Text(name, form.Octets))
	if err != nil || len(b) > maximumOctets {
		f.Fail(name, "at most %d octets in base64url without padding", maximumOctets)
	}
	return b
}
