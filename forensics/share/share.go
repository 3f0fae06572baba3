package share

import (
	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/ingest"
)

// Options configure how a share is read. The zero value has the defaults.
type Options struct {
	ingest.Options
	Dir      string // where runs are written; "" is where temporary files usually are
	Memory   int    // octets of the records of one run; 0: 32 MiB
	Progress func(ingest.Progress)

	plan chain.Hash // zero without a plan
}
