package partview

import (
	"io"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/casefile"
	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/forensics/walk"
)

// Options say how a view reads what the parts do not hold.
type Options struct {
	Read read.Options // as the sources were read for the parts

	// Source opens a source that has no file of its own, and returns what closes it. It
	// returns nil for others. A nil function has none.
	Source func(sha256 chain.Hash) (octets io.ReaderAt, end func())
}

// View is the records of parts as evidence. The caller closes it.
type View struct {
	content part.Content
	options Options
	logs    []walk.Log // by number, from 1
	numbers map[walk.Log]int64
	*sources
	names *names

	hidden hidden
	chosen chosen
	again  again

	windows windows
	runs    runs

	// Bounds, which tests change.
	mostSubjects int
	leastRun     uint64
}

func nameOf(l casefile.Log) walk.Log { return walk.Log{TenantID: l.TenantID, LogID: l.LogID} }
