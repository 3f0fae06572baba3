package casefile

import (
	"github.com/svc-edge/svc-verify/forensics/facts"
)

// Log is an audit log that has events in the case.
type Log struct {
	Number int64 // within this case only
	facts.Log
}
