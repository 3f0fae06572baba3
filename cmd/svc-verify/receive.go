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

// The bounds of --max-body: a request smaller than one event is of no use, and
// what is larger than the reader holds in memory could not be read.
const (
	leastBody = 1 << 20
	mostBody  = 256 << 20
)

func receiveCommand() *cliapp.Command {
	return &cliapp.Command{
		Name:    "receive",
		Summary: "Receive log records over OTLP/HTTP into a case, until interrupted",
		Description: "Runs an OTLP/HTTP sink, the only command that uses the network. A request is answered with " +
			"200 only after its events are in the case and on disk. " +
			"Clients need a client certificate from the given authorities, and TLS 1.3.\n\n" +
			"Other commands can read the case meanwhile. svc-verify walk can write to it when no request arrives; " +
			"requests then have to wait until it ends.",
		ExitCodes: []cliapp.ExitCode{
			{Code: exitVerified, Meaning: "it was interrupted (SIGINT, SIGTERM), after answering pending requests"},
		},
		Flags: []cliapp.Flag{
			caseFlag(),
			{Name: "listen", Value: "ADDR", Required: true,
				Usage: "Where to listen, such as 192.0.2.1:4318; port 0 takes any"},
			{Name: "tls-cert", Value: "PEM", Required: true,
				Usage: "The server's certificate, and any intermediate ones"},
			{Name: "tls-key", Value: "PEM", Required: true,
				Usage: "The server's key, in a file that only its owner can read"},
			{Name: "client-ca", Value: "PEM", Usage: "The authorities of the clients' certificates", Required: true},
			{Name: "max-body", Value: "SIZE", Default: "64MiB",
				Usage: "The largest request, before and after decompression: 1MiB to 256MiB"},
			{Name: "max-connections", Kind: cliapp.Number, Value: "N", Default: "256", Least: "1",
				Usage: "The number of connections that may be open at once"},
			{Name: "quiet", Kind: cliapp.Switch, Usage: "Write nothing to standard error, not even refused requests"},
			progress.Flag(),
			formFlag(),
		},
		Examples: []string{
			"svc-verify receive --case case.db --listen 127.0.0.1:4318 \\\n    --tls-cert tls.pem --tls-key tls.key " +
				"--client-ca clients.pem",
		},
		Action: receiveLogs,
	}
}

func receiveLogs(c *cliapp.Context) (int, error) {
	most, err := bodySize(c.Text("max-body"))
	if err != nil {
		return 0, err
	}
	config, err := receive.TLS(c.Text("tls-cert"), c.Text("tls-key"), c.Text("client-ca"))
	if err != nil {
		return 0, err
	}
	ctx, stop := interruptible()
	defer stop()
	m := newMeter(c, progress.Number)
	defer m.Clear()
	say := sayer(c)
	s, err := receive.Open(receive.Options{Case: c.Text("case"),
		CaseOptions: caseOptions(context.WithoutCancel(ctx), c.Stderr), TLS: config, MaxBody: most,
		MaxConnections: c.Number("max-connections"), Log: say})
	if err != nil {
		return 0, caseFault(c, err)
	}
	l, err := net.Listen("tcp", c.Text("listen"))
	if err != nil {
		return 0, errors.Join(fmt.Errorf("--listen %s: %w", safetext.Quote(c.Text("listen")), err), s.Close())
	}
	m.Clear()
	say("receiving at https://" + l.Addr().String() + "/v1/logs")
	counts, err := s.Serve(ctx, l)
	if err != nil {
		return 0, err
	}
	return exitVerified, writeReceived(c, counts)
}

// sayer returns what writes lines, which are safe to show, to standard error.
// Requests are answered by many goroutines.
func sayer(c *cliapp.Context) func(string) {
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

func writeReceived(c *cliapp.Context, n receive.Counts) error {
	out := query.Received{Schema: query.ReceivedSchema, Requests: n.Requests, Refused: n.Refused, Events: n.Events,
		Skipped: n.Others, Rejected: n.Rejected}
	if c.Text("output") == "json" {
		return writeJSON(c.Stdout, out)
	}
	return answer.WriteText(c.Stdout, report.Received(out, caseName(c)), false)
}
