package examine

import (
	"context"
	"errors"
	"slices"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/cause"
	"github.com/svc-edge/svc-verify/forensics/crosscheck"
	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/verify"
)

// Crosschecked is a crosscheck, with the verdict on the case. Findings of the bundles that
// were given in addition count for that verdict. OtherStores means that the stores are not the
// case's: their findings do not count.
type Crosschecked struct {
	Schema      string            `json:"schema"`
	Verdict     verify.Verdict    `json:"verdict"`
	TrustSHA256 string            `json:"trust_sha256"`
	LeftOut     []verdict.LeftOut `json:"left_out"`

	UnknownKeys *verify.UnknownKeys `json:"unknown_keys,omitempty"` // nil if the trust file lacks nothing

	Decides     *finding.Finding `json:"decides,omitempty"` // as in [verdict.Result], with the findings of given bundles
	OtherStores bool             `json:"other_stores"`
	Causes      []cause.Cause    `json:"causes"` // of the case, as far as they lead to these findings
	crosscheck.Result

	// Complete has for each log up to where it is complete.
	Complete []Complete `json:"complete"`

	// Case is the answer on the case.
	Case *verdict.Result `json:"-"`
}

// Complete is up to where a log is complete, by others' word and by its own (SPEC 13.7).
type Complete struct {
	TenantID string    `json:"tenant_id"`
	LogID    string    `json:"log_id"`
	ByOthers walk.Word `json:"complete_by_others"`
	ByOwn    walk.Word `json:"complete_by_own"`
}

// CrosscheckSchema names the form of a [Crosschecked] in JSON.
const CrosscheckSchema = "svc-verify/crosscheck/v2"

// Crosscheck returns the comparison of the case's last examination under a trust file, which
// it makes if there is none of the case as it is now. Bundles can be given in addition to the
// case. Where stores are given that are not the case's, they are compared separately.
func Crosscheck(ctx context.Context, path string, root *trust.Root, beside []crosscheck.Evidence,
	options Options) (*Crosschecked, error) {
	given := options.Stores
	options.Stores = nil
	result, err := Examined(ctx, path, root, options)
	if err != nil {
		return nil, err
	}
	out := &Crosschecked{Schema: CrosscheckSchema, Verdict: result.Verdict, TrustSHA256: result.TrustSHA256,
		LeftOut: result.LeftOut, Decides: result.Decides, UnknownKeys: result.UnknownKeys, Case: result,
		Complete: []Complete{}}
	for _, l := range result.Logs {
		out.Complete = append(out.Complete, Complete{l.TenantID, l.LogID, l.CompleteByOthers, l.CompleteByOwn})
	}
	out.OtherStores = len(given) > 0 && !slices.Equal(given, result.Given)
	if result.Comparison != nil {
		out.Result = *result.Comparison
		out.Stores = result.Stores
	}
	if len(beside) > 0 || out.OtherStores {
		c, err := store.OpenCase(path, options.Case...)
		if err != nil {
			return nil, err
		}
		if err := errors.Join(out.beside(ctx, c, root, beside, given), c.Close()); err != nil {
			return nil, err
		}
	}
	out.addCauses()
	return out, nil
}

// addCauses copies the causes of the case, for the findings that are here too.
func (r *Crosschecked) addCauses() {
	at := map[int]int{}
	for to, f := range r.Findings {
		if i, ok := slices.BinarySearchFunc(r.Case.Findings, f, finding.Compare); ok {
			at[i] = to
		}
	}
	r.Causes = cause.Moved(r.Case.Causes, at)
}

// Examined returns the last examination of a case if it is of all that the case
// holds, or else a new one for which the same logs count as collected.
func Examined(ctx context.Context, path string, root *trust.Root, options Options) (*verdict.Result, error) {
	last, err := lastUnder(ctx, path, root, options)
	if err != nil {
		return nil, err
	}
	if last != nil {
		if len(last.LeftOut) == 0 {
			return last, nil
		}
		options.Collected = last.Collected
	}
	return Examine(ctx, path, root, options)
}

// lastUnder returns the last examination under a trust file; nil if there is none.
func lastUnder(ctx context.Context, path string, root *trust.Root, options Options) (_ *verdict.Result, err error) {
	c, err := store.OpenCase(path, options.Case...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	return verdict.Last(ctx, c, chain.Hash(root.SHA256()))
}

// beside compares the bundles and stores that are given in addition to the case.
func (r *Crosschecked) beside(ctx context.Context, in evidence.Reader, root *trust.Root, given []crosscheck.Evidence,
	stores []crosscheck.Prefix) error {
	if len(given) > 0 {
		with, err := crosscheck.Run(ctx, in, root, crosscheck.Options{Evidence: given, Stores: r.Case.Given,
			Collected: r.Case.Collected})
		if err != nil {
			return err
		}
		r.Result, r.Verdict = *with, r.Case.With(with.Findings)
		r.UnknownKeys = r.Case.UnknownKeysWith(with.Bundles)
		r.Decides = verdict.Decides(r.Verdict, r.Case.Findings, with.Findings)
	}
	if !r.OtherStores {
		return nil
	}
	other, err := crosscheck.Run(ctx, in, root, crosscheck.Options{Evidence: given, Stores: stores})
	if err != nil {
		return err
	}
	r.Result = *other
	return nil
}
