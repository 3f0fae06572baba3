package partview

import (
	"context"
	"iter"
	"slices"

	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/facts"
)

// Documents yields the documents, ascending by digest, each with every place where it was
// found, and with its texts in place of its bytes.
func (v *View) Documents(ctx context.Context) iter.Seq2[facts.Document, error] {
	return evidence.Stream(func(yield func(facts.Document) error) error {
		for d, err := range v.content.Documents(ctx) {
			if err != nil {
				return err
			}
			out := facts.Document{SHA256: d.SHA256, Kind: d.Kind, Bytes: d.Bytes, Walk: d.Walk, Cross: d.Cross}
			for _, p := range d.Places {
				out.Places = append(out.Places, v.placeOf(p))
			}
			slices.SortStableFunc(out.Places, comparePlaces)
			if err := yield(out); err != nil {
				return err
			}
		}
		return nil
	})
}
