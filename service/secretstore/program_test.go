package secretstore_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/pem"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/adapter"
	"github.com/svc-edge/svc-verify/service/nodeconfig"
	"github.com/svc-edge/svc-verify/service/secretstore"
)

// programmed is a workload whose certificate a real program takes up.
type programmed struct {
	secretstore.Workload        // of the package
	taken                string // where the program puts the certificate
	broken               bool   // the health URL does not answer
}

func (p *programmed) Probe(_ context.Context, leaf []byte) error {
	doc, err := os.ReadFile(p.taken)
	if err != nil || p.broken {
		return errors.Join(errLost, err)
	}
	if block, _ := pem.Decode(doc); block == nil || !bytes.Equal(block.Bytes, leaf) {
		return errors.New("it shows another certificate")
	}
	return nil
}

// serves is the digest of what the program took up last.
func (p *programmed) serves() string {
	doc, _ := os.ReadFile(p.taken)
	return hexDigest(string(doc))
}

// TestRealReload runs a program at each promotion and at each rollback, and not
// once it is another one.
func TestRealReload(t *testing.T) {
	w := newMaker(t).memory(t)
	dir := filepath.Dir(w.settings.ManagedDirectory.Path)
	script := []byte("#!/bin/sh\nexec cp \"$1\" \"$2\"\n")
	binary := filepath.Join(dir, "reload")
	if err := os.WriteFile(binary, script, 0o700); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	p := &programmed{taken: filepath.Join(dir, "taken.pem")}
	w.settings.Reload = &nodeconfig.Reload{
		Binary: nodeconfig.File{Path: binary}, SHA256: sha256.Sum256(script),
		Arguments: []string{"{certificate}", p.taken}, Timeout: 30 * time.Second,
	}
	p.Workload = secretstore.NewWorkload(w.settings)
	w.workload = p
	w.start()
	w.settle()

	first := deliveryNumber(1, true)
	if code := w.deliver(first); code != "" || p.serves() != first.digest {
		t.Fatalf("delivered with %q", code)
	}
	p.broken = true
	if code := w.deliver(deliveryNumber(2, true)); code != adapter.PromotionUnconfirmed || p.serves() != first.digest {
		t.Fatalf("delivered with %q", code)
	}
	p.broken = false
	if err := os.WriteFile(binary, append(script, '\n'), 0o700); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	if code := w.deliver(deliveryNumber(3, true)); code != adapter.ReloadFailed || p.serves() != first.digest {
		t.Fatalf("delivered with %q", code)
	}
	if err := os.WriteFile(binary, script, 0o700); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	w.settle()
	must.Equal(t, w.deliver(deliveryNumber(4, true)), "", "delivered with")
}
