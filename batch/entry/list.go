package entry

import (
	"fmt"

	"github.com/svc-edge/svc-verify/internal/access"
	"github.com/svc-edge/svc-verify/internal/listing"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// list goes through the names of a list.
func (w *walk) list(name string) error {
	r := w.source.Stdin
	if name != Stdin {
		f, err := access.OpenRegular(name)
		if err != nil {
			return fmt.Errorf("reading the list %s: %w", safetext.Quote(name), access.WithoutPath(err))
		}
		defer f.Close()
		r = f
	}
	in, end := listing.Unblocked(w.ctx, r)
	defer end()
	before := w.all
	for path, err := range listing.Names(in) {
		if err != nil {
			return fmt.Errorf("reading the list %s: %w", safetext.Quote(name), err)
		}
		if err := w.argument(path); err != nil {
			return err
		}
	}
	if w.all == before {
		w.counts.Empty++
	}
	return nil
}
