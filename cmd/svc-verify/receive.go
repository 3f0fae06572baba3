package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/forensics/query"
	"github.com/svc-edge/svc-verify/forensics/receive"
	"github.com/svc-edge/svc-verify/forensics/report"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/progress"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// The bounds of --max-body: a request smaller than one event is of no use, and one larger than
// the reader holds in memory could not be read.
const (
	leastBody = 1 << 20
	mostBody  = 256 << 20
)

func receiveLogs(c *invocation) *reply {
	most := mustHave(bodySize(c.Text("max-body")))
	config := mustHave(receive.TLS(c.Text("tls-cert"), c.Text("tls-key"), c.Text("client-ca")))
	ctx := c.interruptContext()
	m := c.newMeter(progress.Number)
	say := lockedLines(c)
	s, err := receive.Open(receive.Options{Case: c.caseFile(),
		CaseOptions: c.caseOptions(context.WithoutCancel(ctx)), TLS: config, MaxBody: most,
		MaxConnections: c.Number("max-connections"), Log: say})
	if err != nil {
		return stopWith(c.caseFault(err))
	}
	l, err := net.Listen("tcp", c.Text("listen"))
	if err != nil {
		return stopWith(errors.Join(fmt.Errorf("--listen %s: %w", safetext.Quote(c.Text("listen")), err), s.Close()))
	}
	m.Clear()
	say("receiving at https://" + l.Addr().String() + "/v1/logs")
	n := mustHave(s.Serve(ctx, l))
	out := query.Received{Schema: query.ReceivedSchema, Requests: n.Requests, Refused: n.Refused, Events: n.Events,
		Skipped: n.Others, Rejected: n.Rejected}
	return &reply{json: out, doc: func() *answer.Doc { return report.Received(out, c.caseName()) }}
}

// lockedLines returns a function that writes lines, which are safe to show, to standard error.
// Requests are answered by many goroutines.
func lockedLines(c *invocation) func(string) {
	out := c.Stderr
	if c.Switch("quiet") {
		out = io.Discard
	}
	var mu sync.Mutex
	return func(line string) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintln(out, "svc-verify: "+line)
	}
}

// bodySize reads a number of bytes, with MiB for 2^20 of them.
func bodySize(text string) (int64, error) {
	digits, unit := text, int64(1)
	if rest, ok := strings.CutSuffix(text, "MiB"); ok {
		digits, unit = rest, 1<<20
	}
	n, err := strconv.ParseInt(digits, 10, 32)
	if size := n * unit; err == nil && size >= leastBody && size <= mostBody {
		return size, nil
	}
	return 0, cliapp.Usagef("--max-body: expected 1MiB to 256MiB, or as many bytes, found %s", safetext.Quote(text))
}
