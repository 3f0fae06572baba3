package affected

import (
	"context"
	"slices"

	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/incident"
	"github.com/svc-edge/svc-verify/forensics/status"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/verify"
)

// Question selects doubtful events: of the incident with a name or, if that is "", a range of
// one log. Events.Last is 0 for the end of the log, Events.TenantID "" for the only tenant that
// has it. Filter selects transactions by their events; nil selects all.
type Question struct {
	Incident string
	Events   incident.Range
	Filter   *store.Filter
}

// Answer is the certificates of all reached transactions.
type Answer struct {
	Schema      string              `json:"schema"`
	TrustSHA256 string              `json:"trust_sha256"`
	LeftOut     []verdict.LeftOut   `json:"left_out"`               // was not examined
	NotRead     []string            `json:"not_read"`               // why transactions may be absent
	UnknownKeys *verify.UnknownKeys `json:"unknown_keys,omitempty"` // nil if the trust file lacks nothing
	Export      []Subject           `json:"export_proofs"`          // transactions whose proofs show the unknown values
	Incident    string              `json:"incident,omitempty"`     // its name
	Summary     string              `json:"summary,omitempty"`      // of the incident
	After       *incident.Bound     `json:"after,omitempty"`        // the last event before it that others witnessed
	Ranges      []Range             `json:"ranges"`                 // that are doubtful
	Counts      Counts              `json:"counts"`

	// Certificates has one entry for each certificate, and one for each transaction without a known
	// one. First come certificates without a quorum, then the unknown ones, and last transactions that
	// were not issued.
	Certificates []Certificate `json:"certificates"`
}

// Schema names the JSON form of an [Answer].
const Schema = "svc-verify/affected/v1"

// Range is the doubtful events of a log, to its end with ToEnd. If First and Last are 0, only
// statements missing from the journal are doubtful.
type Range struct {
	incident.Range
	ToEnd bool `json:"to_end"`
}

// Counts are numbers of transactions.
type Counts struct {
	Transactions  int `json:"transactions"`
	WithoutQuorum int `json:"without_quorum"`
	Unknown       int `json:"unknown"` // whose proofs are to be exported
}

// Subject is a transaction of a tenant.
type Subject struct {
	TenantID      string `json:"tenant_id"`
	TransactionID string `json:"transaction_id"`
}

// Quorum is whether a transaction lacks a quorum if the doubtful nodes do not count.
type Quorum string

// The answers.
const (
	Lacks   Quorum = "yes"
	Has     Quorum = "no"
	Unknown Quorum = "unknown"
)

// Certificate is one certificate of a transaction. Without a proof, the values that only a proof
// shows are "", 0 or empty.
type Certificate struct {
	Subject
	WithoutQuorum Quorum `json:"without_quorum"`

	// The approvals that the terms require (SPEC 7.2), and those by nodes that are not doubtful. The
	// second is of the tenant log if the first is 0.
	RequiredApprovals int64 `json:"required_approvals,omitempty"`
	OtherApprovals    int64 `json:"other_approvals"`

	// The witnesses that the checkpoint of the proof requires (SPEC 5.3), and those that are not doubtful.
	RequiredWitnesses int64 `json:"required_witnesses,omitempty"`
	OtherWitnesses    int64 `json:"other_witnesses,omitempty"`

	Serial    string        `json:"certificate_serial,omitempty"`
	Names     []string      `json:"certificate_names"`
	NotBefore string        `json:"not_before,omitempty"`
	NotAfter  string        `json:"not_after,omitempty"`
	Status    status.Status `json:"status"`
	AsOf      string        `json:"as_of,omitempty"` // the time of the status

	manifest   string
	checkpoint uint64 // of the proof
}

// Known reports whether a further proof would show nothing more: there is one, or no certificate.
func (c *Certificate) Known() bool { return c.Status == status.NotIssued || c.Serial != "" }

// urgency orders certificates, the most urgent first.
func (c *Certificate) urgency() int {
	switch {
	case c.WithoutQuorum == Lacks:
		return 0
	case !c.Known():
		return 1
	case c.Status != status.NotIssued:
		return 2
	}
	return 3
}

// Complete reports whether everything was examined, and everything is known.
func (a *Answer) Complete() bool {
	return len(a.LeftOut) == 0 && len(a.NotRead) == 0 && a.UnknownKeys == nil && a.Counts.Unknown == 0
}

// finder finds the transactions that are reached.
type finder struct {
	c        *store.Case
	root     *trust.Root
	examined *verdict.Result
	logs     map[facts.Log]bool
	ends     map[facts.Log]walk.LogResult
	answer   *Answer

	doubts  map[facts.Log]*doubt
	ofNodes map[string]bool // tenants with a doubtful node
	damaged map[string]bool // the SHA-256 of proofs that do not verify, and that the incident is about
	found   map[Subject]*reached
}

// reached is one transaction.
type reached struct {
	nodes        map[string]bool         // not doubtful, and approved it by the tenant log
	certificates map[string]*Certificate // by the digest of the manifest, "" if it is unknown
}

// Find answers a question on a case. Examined is the result of an examination of it under the
// trust file, as package examine returns it. It returns a [NoIncidentError], a [NoLogError] or a
// [SeveralTenantsError] if the question names nothing in the case.
func Find(ctx context.Context, c *store.Case, root *trust.Root, examined *verdict.Result, q Question) (*Answer,
	error) {
	x := &finder{c: c, root: root, examined: examined, logs: map[facts.Log]bool{},
		ends: map[facts.Log]walk.LogResult{}, doubts: map[facts.Log]*doubt{}, ofNodes: map[string]bool{},
		damaged: map[string]bool{}, found: map[Subject]*reached{},
		answer: &Answer{Schema: Schema, TrustSHA256: examined.TrustSHA256, UnknownKeys: examined.UnknownKeys,
			LeftOut: append([]verdict.LeftOut{}, examined.LeftOut...), NotRead: []string{}, Export: []Subject{},
			Ranges: []Range{}, Certificates: []Certificate{}}}
	all, err := c.Logs(ctx)
	if err != nil {
		return nil, err
	}
	for _, l := range all {
		x.logs[l] = true
	}
	for _, l := range slices.Concat(examined.Logs, examined.OfProofs) {
		x.ends[l.Log()] = l
	}
	if err := x.chooseRanges(ctx, q); err != nil {
		return nil, err
	}
	narrow := func(ctx context.Context) error { return x.keepSelected(ctx, q.Filter) }
	for _, step := range []func(context.Context) error{x.readLogs, x.readApprovals, x.reachByProofs, narrow,
		x.countApprovals, x.readProofs, x.readStatus} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	x.orderAnswer()
	return x.answer, nil
}
