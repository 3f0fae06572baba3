// Package consumer is the consumer rule of the secret store: how the consumers of the
// certificates read them (service/docs/secret-store.md, Records). A chain and its key come out
// of one record that is never overwritten, so that a reader gets a pair that matches, or none.
package consumer

import (
	"context"
	"errors"
	"fmt"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/secretstore"
	"github.com/svc-edge/svc-verify/service/secretstore/record"
)

// attempts is how often the pointer is read. Once is enough while only a node writes; a second
// time helps if the generation that it named was destroyed in between.
const attempts = 3

// Reader is a consumer's access to a store, such as [secretstore.Client] with a token that may
// read and nothing else.
type Reader interface {
	Read(ctx context.Context, path string) (seal.Object, secretstore.Metadata, error)
}

// errGone reports that a record was deleted.
var errGone = errors.New("expected a record, found a deleted one")

// Read returns the generation in use. It reads pointer and generation again where
// they do not match, and fails if they never do, or the store cannot be read. The
// error is [secretstore.ErrAbsent] if nothing was delivered yet, and holds
// nothing of a key.
func Read(ctx context.Context, store Reader) (record.Generation, error) {
	var last error
	for range attempts {
		p, err := readPointer(ctx, store)
		if err != nil {
			return record.Generation{}, fmt.Errorf("the pointer: %w", err)
		}
		g, err := readActive(ctx, store, p.Active)
		if err == nil {
			return g, nil
		}
		last = fmt.Errorf("%s: %w", record.SlotName(p.Active.Slot), err)
	}
	return record.Generation{}, last
}

func readPointer(ctx context.Context, store Reader) (record.Pointer, error) {
	o, _, err := store.Read(ctx, record.PointerPath)
	switch {
	case err != nil:
		return record.Pointer{}, err
	case o == nil:
		return record.Pointer{}, errGone
	}
	return record.ParsePointer(o)
}

// readActive reads the generation that the pointer names, and checks that it is
// that one, and that chain and key match.
func readActive(ctx context.Context, store Reader, want record.Named) (record.Generation, error) {
	o, _, err := store.Read(ctx, record.GenerationPath(want.Slot))
	switch {
	case err != nil:
		return record.Generation{}, err
	case o == nil:
		return record.Generation{}, errGone
	}
	g, err := record.ParseGeneration(o)
	if err != nil {
		return record.Generation{}, err
	}
	if found := (record.Named{Slot: g.Slot, SHA256: g.CertificateSHA256}); found != want {
		return record.Generation{}, errors.New("expected the slot and digest that the pointer names, found others")
	}
	_, err = g.Certificate()
	return g, err
}
