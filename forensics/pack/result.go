package pack

import (
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/verify"
)

// Protocol names the format of a pack (SPEC 22.1).
const Protocol = "svc.pack.v1"

// The limits of a pack in bytes (SPEC 22.1). A line has room for the largest bundle in base64url.
const (
	MaxFile = 256 << 20
	maxLine = 24 << 20
)

// The largest numbers of things that a pack claims.
const (
	mostSources  = 65_536
	mostFindings = 1024
)

// Schema names the JSON form of a [Result].
const Schema = "svc-verify/pack/v1"

// Result is the answer on a pack. It depends on the file and the trust file alone.
type Result struct {
	Schema      string               `json:"schema"`
	Verdict     verify.Verdict       `json:"verdict"`
	FileSHA256  string               `json:"file_sha256"`
	TrustSHA256 string               `json:"trust_sha256"`
	Claims      *Claims              `json:"claims,omitempty"` // nil if they could not be read
	Disclosed   int                  `json:"disclosed"`        // events
	Redacted    int                  `json:"redacted"`         // events
	Histories   []History            `json:"histories"`
	Proofs      []Proof              `json:"proofs"`
	Shown       []Contradiction      `json:"contradictions"`
	Findings    []finding.InDocument `json:"findings"` // why it is not verified, the first ones
	More        int                  `json:"more_findings"`
}

// Claims are the words of the maker of a pack. Nothing proves them.
type Claims struct {
	Protocol    string         `json:"protocol"`
	TrustSHA256 string         `json:"trust_sha256"` // of the trust file of the walk
	Verdict     verify.Verdict `json:"verdict"`      // of the case
	Findings    []Claimed      `json:"findings"`     // about the events of the pack
	Sources     []string       `json:"sources"`      // the digests of the sources of the case, ascending
}

// Claimed is a finding that the maker of a pack claims.
type Claimed struct {
	Code     finding.Code `json:"code"`
	TenantID string       `json:"tenant_id"`
	LogID    string       `json:"log_id"`
	Sequence uint64       `json:"sequence"`
	Last     uint64       `json:"last_sequence"`
}

// History is a pack's answer about one history of a log.
type History struct {
	TenantID  string `json:"tenant_id"`
	LogID     string `json:"log_id"`
	First     uint64 `json:"first_sequence"`
	Last      uint64 `json:"last_sequence"`
	HeadHash  string `json:"head_hash"` // of the last event
	Disclosed int    `json:"disclosed"`
	Redacted  int    `json:"redacted"`
	Links     int    `json:"links"` // on the way between these
	// LogShown is true if an event or a statement shows which log it is. Otherwise the tenant is a
	// claim.
	LogShown bool `json:"log_shown"`
	// Seen is the newest event of the history that others vouch for. So they do for all below.
	Seen *Seen `json:"seen_by_others,omitempty"`
}

// Log is the log of the history.
func (h *History) Log() facts.Log { return facts.Log{TenantID: h.TenantID, LogID: h.LogID} }

// Seen is the word of others that an event is in a log.
type Seen struct {
	Sequence uint64           `json:"sequence"`
	By       facts.AnchorKind `json:"by"`
	Nodes    []string         `json:"nodes,omitempty"` // that witnessed it
	At       string           `json:"at"`              // the latest of their times
}

// Proof is how a bundle in the pack was judged.
type Proof struct {
	SHA256  string         `json:"sha256"`
	Verdict verify.Verdict `json:"verdict"`
	Code    finding.Code   `json:"code,omitempty"` // of the first defect
	About   *verify.About  `json:"about,omitempty"`
}

// Contradiction is two hashes of one event of a log, both under keys of the log's owner.
type Contradiction struct {
	TenantID string    `json:"tenant_id"`
	LogID    string    `json:"log_id"`
	Sequence uint64    `json:"sequence"`
	Hashes   [2]string `json:"hashes"`
	Keys     [2]string `json:"key_ids"`
	Lines    [2]int    `json:"lines"` // of the pack, from 1
}
