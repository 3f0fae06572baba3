package consumer_test

import (
	"context"
	"crypto"
	"crypto/x509"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/testca"
	"github.com/svc-edge/svc-verify/service/kv"
	"github.com/svc-edge/svc-verify/service/kv/kvtest"
	"github.com/svc-edge/svc-verify/service/nodeconfig"
	"github.com/svc-edge/svc-verify/service/secretstore"
	"github.com/svc-edge/svc-verify/service/secretstore/consumer"
	"github.com/svc-edge/svc-verify/service/secretstore/record"
)

const base = "edge/payments"

// client is a client of an engine with a token of these rules.
func client(t testing.TB, b kvtest.Backend, rules []kv.Rule) *secretstore.Client {
	t.Helper()
	token := filepath.Join(t.TempDir(), "token")
	must.Do(t, os.WriteFile(token, []byte(b.Token(t, rules...)), 0o600))
	return secretstore.NewClient(&nodeconfig.SecretStore{
		Address: b.Address, Mount: b.Mount, BasePath: base, TokenFile: nodeconfig.File{Path: token},
		RequestTimeout: time.Minute,
		Authorities:    nodeconfig.Authorities{Certificates: []*x509.Certificate{b.Authority.Certificate}},
	})
}

// generation makes a pair for a slot.
func generation(t testing.TB, slot int64) record.Generation {
	t.Helper()
	authority := testca.New("issuer")
	leaf := authority.Server()
	key := leaf.PrivateKey.(crypto.Signer)
	return must.Get(record.NewGeneration(slot, [][]byte{leaf.Certificate[0], authority.Certificate.Raw}, key,
		seal.Time(time.Now())))(t)
}

func pointer(g record.Generation) record.Pointer {
	return record.Pointer{Active: record.Named{Slot: g.Slot, SHA256: g.CertificateSHA256},
		UpdatedAt: seal.Time(time.Now())}
}

func write(t testing.TB, c *secretstore.Client, path string, cas int64, o seal.Object) {
	t.Helper()
	must.Get(c.Write(t.Context(), path, cas, o))(t)
}

// TestReadersBesideWriter: readers that run while generations are written and the
// pointer moves get pairs that match, each the one that the writer made, and never
// an older one after a newer one.
func TestReadersBesideWriter(t *testing.T) {
	rotations := int64(30)
	if testing.Short() {
		rotations = 8
	}
	kvtest.Each(t, func(t *testing.T, b kvtest.Backend) {
		writer := client(t, b, kv.AdapterRules(b.Mount, base))
		var known sync.Map // digest by slot
		rotate := func(slot int64) {
			g := generation(t, slot)
			known.Store(slot, g.Digest())
			write(t, writer, record.GenerationPath(slot), 0, g.Object())
			write(t, writer, record.PointerPath, slot-1, pointer(g).Object())
		}
		rotate(1)
		done := make(chan struct{})
		var readers sync.WaitGroup
		for range 4 {
			reader := client(t, b, kv.ConsumerRules(b.Mount, base))
			readers.Go(func() {
				for last := int64(0); ; {
					g, err := consumer.Read(t.Context(), reader)
					if err != nil {
						t.Error(err)
						return
					}
					digest, _ := known.Load(g.Slot)
					if _, err := g.Certificate(); err != nil || digest != g.Digest() || g.Slot < last {
						t.Errorf("%v after %d, %v", g, last, err)
						return
					}
					last = g.Slot
					select {
					case <-done:
						if last == rotations {
							return
						}
					default:
					}
				}
			})
		}
		for slot := int64(2); slot <= rotations; slot++ {
			rotate(slot)
		}
		close(done)
		readers.Wait()
	})
}

// fixed is a store in which the pointer changes with each reading of it.
type fixed struct {
	pointers []any // [seal.Object], error or nil, the last one stays
	records  map[string]any
	read     int
}

func (f *fixed) Read(_ context.Context, path string) (seal.Object, secretstore.Metadata, error) {
	found, there := f.records[path]
	if path == record.PointerPath {
		found, there = f.pointers[min(f.read, len(f.pointers)-1)], true
		f.read++
	}
	switch v := found.(type) {
	case seal.Object:
		return v, secretstore.Metadata{Version: 1}, nil
	case error:
		return nil, secretstore.Metadata{}, v
	}
	if !there {
		return nil, secretstore.Metadata{}, secretstore.ErrAbsent
	}
	return nil, secretstore.Metadata{Version: 1, Deleted: true}, nil
}

// TestRead: a generation is used if it is the one that the pointer names, and read again, but
// not for ever, if it is not.
func TestRead(t *testing.T) {
	one, two := generation(t, 1), generation(t, 2)
	mixed := one
	mixed.PrivateKeyPEM = two.PrivateKeyPEM
	half := one.Object()
	delete(half, "private_key_pem")
	moved := pointer(one)
	moved.Active.SHA256 = two.CertificateSHA256
	failed := errors.New("the line is dead")
	first, second := record.GenerationPath(1), record.GenerationPath(2)
	for name, c := range map[string]struct {
		pointers []any
		records  map[string]any
		want     any // a [record.Generation], or text of the error
		reads    int
	}{
		"as it should be": {[]any{pointer(one).Object()}, map[string]any{first: one.Object()}, one, 1},
		"destroyed in between": {[]any{pointer(one).Object(), pointer(two).Object()},
			map[string]any{first: nil, second: two.Object()}, two, 2},
		"gone in between": {[]any{pointer(one).Object(), pointer(one).Object(), pointer(two).Object()},
			map[string]any{second: two.Object()}, two, 3},
		"never there": {[]any{pointer(one).Object()}, nil, "slot-000001: the store has no such record", 3},
		"another digest": {[]any{moved.Object()}, map[string]any{first: one.Object()},
			"digest that the pointer names", 3},
		"another slot": {[]any{pointer(one).Object()}, map[string]any{first: two.Object()}, "slot and digest", 3},
		"another key": {[]any{pointer(one).Object()}, map[string]any{first: mixed.Object()},
			"found none that match", 3},
		"half a record":            {[]any{pointer(one).Object()}, map[string]any{first: half}, "private_key_pem", 3},
		"no pointer":               {[]any{secretstore.ErrAbsent}, nil, "the pointer: the store has no such record", 1},
		"a deleted pointer":        {[]any{nil}, nil, "the pointer: expected a record", 1},
		"a pointer that is none":   {[]any{seal.Object{}}, nil, "the pointer: protocol", 1},
		"no connection":            {[]any{failed}, nil, failed.Error(), 1},
		"no connection in between": {[]any{pointer(one).Object(), failed}, map[string]any{first: failed}, failed.Error(), 2},
		"a deleted one for ever":   {[]any{pointer(one).Object()}, map[string]any{first: nil}, "found a deleted one", 3},
	} {
		store := &fixed{pointers: c.pointers, records: c.records}
		g, err := consumer.Read(t.Context(), store)
		if want, is := c.want.(record.Generation); is && (err != nil || g != want) {
			t.Errorf("%s: found %v, %v", name, g, err)
		}
		if text, is := c.want.(string); is && (err == nil || !strings.Contains(err.Error(), text) ||
			g != (record.Generation{}) || strings.Contains(err.Error(), "-----")) {
			t.Errorf("%s: expected %q, found %v, %v", name, text, g, err)
		}
		check.Equal(t, store.read, c.reads, "%s: the pointer is read times", name)
	}
}
