package main

import (
	"context"
	"encoding/hex"
	"iter"
	"slices"
	"time"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/casefile"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/verify"
)

// mostShown bounds the events that are shown at once, and mostCopies the copies
// of each.
const (
	mostShown  = 100
	mostCopies = 16
)

func showCommand() *cliapp.Command {
	return &cliapp.Command{
		Name:    "show",
		Summary: "Show everything about one event, or the story of a transaction",
		Description: "Shows events whole: each copy with its body, where it was delivered, its hash computed again and held against the events beside it, what differs between the copies, and which findings of the newest walk touch it. The events of a transaction come by time. " +
			"No signature is verified here: svc-verify walk does that.",
		ExitCodes: []cliapp.ExitCode{
			{Code: exitVerified, Meaning: "there was such an event"},
			{Code: exitInconclusive, Meaning: "there was none"},
		},
		Flags: append([]cliapp.Flag{
			caseFlag(), logFlag(),
			{Name: "sequence", Value: "N", Usage: "The event of this sequence"},
			transactionFlag(),
			{Name: "hash", Value: "HEX", Usage: "The event in which this hash is written; every event of the case is looked at"},
			formFlag(), colorFlag(),
		}, progressFlags()...),
		Examples: []string{"svc-verify show --case case.db --log node/mesh-oslo-1 --sequence 7", "svc-verify show --case case.db --transaction tx-2026-0001"},
		Action:   show,
	}
}

// shown is what is shown, as JSON.
type shown struct {
	Schema             string           `json:"schema"`
	SignaturesVerified bool             `json:"signatures_verified"` // always false
	Verdict            verify.Verdict   `json:"verdict"`             // of the newest walk; "" without one
	Decides            *finding.Finding `json:"decides,omitempty"`
	TrustSHA256        string           `json:"trust_sha256"` // of the walk that the findings are of; "" without one
	Events             []shownEvent     `json:"events"`
	More               int              `json:"more"`

	result *verdict.Result
}

func show(c *cliapp.Context) (int, error) {
	search, err := searchOf(c)
	if err != nil {
		return 0, err
	}
	return withCase(c, func(ctx context.Context, in *casefile.Case) (int, error) {
		s := shower{in: in}
		if s.names, err = sourceNames(ctx, in); err != nil {
			return 0, err
		}
		if s.bodies, err = in.Bodies(); err != nil {
			return 0, err
		}
		defer s.bodies.Close()
		out := shown{Schema: "svc-verify/show/v2", Events: []shownEvent{}}
		last, err := verdict.Last(ctx, in, [32]byte{})
		if err != nil {
			return 0, err
		}
		warnOfLater(c, last)
		if last != nil {
			out.TrustSHA256, out.Verdict, out.Decides, out.result, s.findings = last.TrustSHA256, last.Verdict, last.Decides, last, last.Findings
		}
		if err := s.gather(ctx, search(ctx, in), &out); err != nil {
			return 0, err
		}
		return writeShown(c, out)
	})
}

// searchOf returns how to find the events that are asked for.
func searchOf(c *cliapp.Context) (func(context.Context, *casefile.Case) iter.Seq2[casefile.Selected, error], error) {
	f, err := filterOf(c, "log", "sequence", "transaction")
	if err != nil {
		return nil, err
	}
	ways := 0
	for _, name := range []string{"sequence", "transaction", "hash"} {
		if c.Given(name) {
			ways++
		}
	}
	switch {
	case ways != 1:
		return nil, cliapp.Usagef("show wants one of --sequence, --transaction and --hash")
	case c.Given("sequence") && (f.First != f.Last || !c.Given("log")):
		return nil, cliapp.Usagef("--sequence names one event, and needs --log; svc-verify events lists several")
	case !c.Given("hash"):
		return func(ctx context.Context, in *casefile.Case) iter.Seq2[casefile.Selected, error] {
			return in.SelectByTime(ctx, f)
		}, nil
	}
	var hash [32]byte
	raw, err := hex.DecodeString(c.Text("hash"))
	if err != nil || len(raw) != len(hash) {
		return nil, cliapp.Usagef("--hash: expected 64 hex digits, found %s", safetext.Quote(c.Text("hash")))
	}
	copy(hash[:], raw)
	return func(ctx context.Context, in *casefile.Case) iter.Seq2[casefile.Selected, error] {
		return in.Find(ctx, hash)
	}, nil
}

// shower gathers what there is to show.
type shower struct {
	in       *casefile.Case
	names    map[int64]string
	bodies   *casefile.Bodies
	findings []finding.Finding
}

// gather fills in the events.
func (s *shower) gather(ctx context.Context, all iter.Seq2[casefile.Selected, error], out *shown) error {
	for e, err := range all {
		if err != nil {
			return err
		}
		if e.Variant == 0 {
			if len(out.Events) == mostShown {
				out.More++
				continue
			}
			out.Events = append(out.Events, s.event(e))
		}
		if out.More > 0 {
			continue
		}
		if err := s.addCopy(ctx, e, &out.Events[len(out.Events)-1]); err != nil {
			return err
		}
	}
	for i := range out.Events {
		out.Events[i].Differences = differences(out.Events[i].Copies)
	}
	return nil
}

// event is what an event has before its copies: the findings that touch it.
func (s *shower) event(e casefile.Selected) shownEvent {
	n := e.Link.Sequence
	touch := slices.DeleteFunc(slices.Clone(s.findings), func(f finding.Finding) bool {
		return f.LogID != e.Log.LogID || f.TenantID != e.Log.TenantID || f.Sequence > n || f.LastSequence < n
	})
	return shownEvent{TenantID: e.Log.TenantID, LogID: e.Log.LogID, Sequence: n, OccurredAt: form.FormatTime(time.UnixMilli(e.OccurredAt)),
		Copies: []shownCopy{}, Findings: append([]finding.Finding{}, touch...)}
}
