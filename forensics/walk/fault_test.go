package walk_test

import (
	"context"
	"errors"
	"iter"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/forensics/walk/walktest"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/fault"
)

// faulty is a reader with a fault.
type faulty struct{ walk.Reader }

func (faulty) Events(context.Context, facts.Log, uint64) iter.Seq2[*facts.Event, error] {
	panic("no luck")
}

// forgetful is a cache of signatures with a fault.
type forgetful struct{ walk.Signatures }

func (forgetful) Known(context.Context, walk.Claims) (bool, error) { panic("no luck") }

// A fault of the program while a log is read or examined ends the walk with an error.
func TestFaultEndsWalk(t *testing.T) {
	w := walktest.History(1, 3)
	for name, c := range map[string]struct {
		reader walk.Reader
		cache  walk.Signatures
	}{"read": {faulty{w.Reader()}, nil}, "examined": {w.Reader(), forgetful{}}} {
		_, _, err := walk.RunCut(context.Background(), c.reader, w.Root, walk.Options{Workers: 2, Signatures: c.cache}, 20)
		check.That(t, errors.As(err, new(*fault.Error)), "%s: %v", name, err)
	}
}
