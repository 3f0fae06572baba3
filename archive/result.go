package archive

import "github.com/svc-edge/svc-verify/finding"

// CheckSchema names the JSON form of a [Result].
const CheckSchema = "svc-verify/archive-check/v1"

// Standing is how far the ledger is believed.
type Standing struct {
	Standing string `json:"standing"` // own, foreign, adopted or altered
	Objects  int64  `json:"objects"`  // that it had before the run
	Runs     int64  `json:"runs"`     // that it had before the run
	Newest   string `json:"newest"`   // the digest of the newest of those
}

// RunRef names the record of a run.
type RunRef struct {
	Number   int64  `json:"number"`
	Digest   string `json:"digest"`
	Previous string `json:"previous"` // "" for the first
	Root     string `json:"root"`
	Changed  int64  `json:"changed"`
}

// Finding is something that is wrong with the archive or the ledger.
type Finding struct {
	Code    finding.Code `json:"code"`
	Subject string       `json:"subject"` // the path or digest concerned; "" for none
	Message string       `json:"message"`
}

// Cause is why objects could not be read.
type Cause struct {
	Fault   string `json:"fault"`
	Objects int64  `json:"objects"`
}

// told is where the record of an object is.
type told struct {
	index, at uint32
	rank      uint8 // the worst first
	worth     bool  // it is worth telling, and not only kept because all are
}
