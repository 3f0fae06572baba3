package part

// DescriptionSchema names the form of a [Description].
const DescriptionSchema = "svc-verify/part-description/v1"

// Description is what a part says of itself, and how many records it has. It judges
// nothing. Paths are written as text (SPEC 15.1), and so are the names of containers.
type Description struct {
	Schema      string            `json:"schema"`
	Form        string            `json:"form"`
	Octets      int64             `json:"octets"`
	SHA256      string            `json:"sha256"` // of the part, trailer aside
	MAC         MAC               `json:"mac"`
	Rules       string            `json:"rules"`
	Reading     string            `json:"reading"`
	TrustSHA256 string            `json:"trust_sha256"`
	PlanSHA256  string            `json:"plan_sha256,omitempty"` // "" without a plan
	Totals      Totals            `json:"totals"`
	Sources     []DescribedSource `json:"sources"`
	Logs        []DescribedLog    `json:"logs"`
	Documents   []Counted         `json:"documents"` // by kind
	Skips       []Counted         `json:"skips"`     // spans that could not be read, by code
	Unread      []DescribedUnread `json:"unread"`
}

// MAC says whether a part has a MAC, and whether that was checked.
type MAC string

// The values of MAC.
const (
	NoMAC        MAC = "none"
	MACUnchecked MAC = "not-checked" // there is one, and no key to check it with
	MACHolds     MAC = "holds"
)

// Totals count the records of a part.
type Totals struct {
	Copies     int64 `json:"copies"`   // of events
	Arrivals   int64 `json:"arrivals"` // of copies
	Statements int64 `json:"statements"`
	Documents  int64 `json:"documents"`
	Skips      int64 `json:"skips"` // spans that could not be read
	Batches    int64 `json:"batches"`
}

// DescribedSource is a range of a source that was read. From, To and Size are octets.
type DescribedSource struct {
	SHA256    string   `json:"sha256"` // of the whole source
	Size      int64    `json:"size"`   // of the whole source
	From      int64    `json:"from"`
	To        int64    `json:"to"`
	Complete  bool     `json:"complete"`
	Paths     []string `json:"paths"`
	Format    string   `json:"format"` // of the source itself; "" if it is unknown
	Events    int64    `json:"events"`
	Documents int64    `json:"documents"`
	Skips     int64    `json:"skips"`
}

// DescribedLog is a log of which a part has copies.
type DescribedLog struct {
	TenantID   string `json:"tenant_id"`
	LogID      string `json:"log_id"`
	First      uint64 `json:"first_sequence"`
	Last       uint64 `json:"last_sequence"`
	Copies     int64  `json:"copies"`
	Arrivals   int64  `json:"arrivals"`
	Statements int64  `json:"statements"`
}

// Counted is how many there are of a kind.
type Counted struct {
	Name  string `json:"name"`
	Count int64  `json:"count"`
}

// DescribedUnread is a path that could not be read.
type DescribedUnread struct {
	Path   string `json:"path"`
	Code   string `json:"code"`
	Detail string `json:"detail"`
}
