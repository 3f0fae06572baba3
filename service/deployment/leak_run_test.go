package deployment_test

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/deployment"
	"github.com/svc-edge/svc-verify/service/secretstore"
	"github.com/svc-edge/svc-verify/service/secretstore/record"
)

// TestNoSecretLeaves has everything go well and wrong that a secret has a part
// in, gathers what all of it left, and searches that for every token and private
// key.
func TestNoSecretLeaves(t *testing.T) {
	t.Parallel()
	w, program := startReloading(t)
	w.storeIs("healthy", "")
	w.reloads(program)
	w.gather("after rotations")
	w.misusesStore()
	w.storeIs("healthy", "")
	w.rotate(automatic, "promoted")
	w.exported()
	w.gather("in the end")
	secrets := w.secrets()
	if err := w.Stop(); err != nil { // so that all is written
		t.Fatal(err)
	}
	found, files := search(t, w.Dir, secrets)
	t.Logf("%d secrets, %d files", len(secrets), files)
	for _, what := range found {
		t.Error(what)
	}
	check.That(t, len(secrets) >= 25 && files >= 80, "%d secrets and %d files are too few", len(secrets), files)
	plant(t, w.Dir, secrets)
}

// plant holds that each form of each secret would be found in a line of a log, and
// that the search reads the logs.
func plant(t *testing.T, dir string, secrets []secret) {
	t.Helper()
	file := filepath.Join(dir, "logs", "planted.log")
	defer func() { _ = os.Remove(file) }()
	for _, s := range secrets {
		for i, form := range s.forms {
			line := fmt.Appendf(nil, `{"error":"%s"}`, form)
			check.That(t, len(inside("logs/node.log", line, []secret{s})) != 0, "%s, form %d, is not found", s.name, i)
		}
	}
	for name, text := range map[string][]byte{
		"a secret": secrets[0].forms[0], "a certificate": []byte("-----BEGIN CERTIFICATE-----"),
		"a key": []byte("BEGIN PRIVATE KEY"),
	} {
		must.Do(t, os.WriteFile(file, text, 0o600))
		if found, _ := search(t, dir, secrets); len(found) == 0 {
			t.Errorf("%s is not found in %s", name, file)
		}
	}
}

// reloader is the program that the node runs. It talks: what it was given, and
// the certificate. It fails unless there is a file.
const reloader = `#!/bin/sh
{ echo "$@"; env; } >> %[1]s/reload.out
cat "$1"
cat "$1" >&2
test -e %[1]s/well
`

// startReloading starts a deployment whose node runs a program after each
// promotion.
func startReloading(t *testing.T) (w *world, program string) {
	t.Helper()
	dir := t.TempDir()
	program = filepath.Join(dir, "reload.sh")
	script := fmt.Appendf(nil, reloader, dir)
	if err := os.WriteFile(program, script, 0o700); err != nil { //nolint:gosec // it is to be run
		t.Fatal(err)
	}
	sum := sha256.Sum256(script)
	return resume(t, prepareStore(t, seal.Object{
		"secret_store_reload_binary_path": program, "secret_store_reload_binary_sha256": hex.EncodeToString(sum[:]),
		"secret_store_reload_arguments":       seal.Strings([]string{"{certificate}"}),
		"secret_store_reload_timeout_seconds": int64(10),
	})), program
}

// reloads rotates with a program that fails, with one that is not the pinned one,
// and with one that does what it should; the last by hand.
func (w *world) reloads(program string) {
	w.t.Helper()
	fails := func() {
		_, err := w.RotateCertificate(w.t.Context(), automatic)
		var refused *deployment.Refused
		must.That(w.t, errors.As(err, &refused) && refused.Code == "reload_failed", "want reload_failed, found %v", err)
	}
	fails()
	must.Do(w.t, os.WriteFile(filepath.Join(filepath.Dir(program), "well"), nil, 0o600))
	pinned := must.Get(os.ReadFile(program))(w.t)
	for _, content := range [][]byte{append([]byte("#!/bin/sh\nexit 0\n"), pinned...), pinned} {
		if err := os.WriteFile(program, content, 0o700); err != nil { //nolint:gosec // it is to be run
			w.t.Fatal(err)
		}
		if len(content) != len(pinned) {
			fails()
		}
	}
	t := w.rotate(manual, "staged")
	w.gather("while a certificate is staged")
	must.Get(w.Promote(w.t.Context(), seal.Text(t, "transaction_id"), nil))(w.t)
	told, err := os.ReadFile(filepath.Join(filepath.Dir(program), "reload.out"))
	check.That(w.t, err == nil && strings.Contains(string(told), "PATH="), "the program has told %q, %v", told, err)
	must.Do(w.t, os.WriteFile(filepath.Join(w.Dir, "gathered", "reload.out"), told, 0o600))
}

// misusesStore has the node and the workload meet a token that is not known, a
// store that is hostile, and none.
func (w *world) misusesStore() {
	w.t.Helper()
	token, err := os.ReadFile(w.AdapterToken())
	must.Do(w.t, err)
	wrong := filepath.Join(w.Dir, "store", "wrong.token") // which is searched for as the others are
	must.Do(w.t, os.WriteFile(wrong, []byte(rand.Text()+"\n"), 0o600))
	must.Do(w.t, os.Rename(w.AdapterToken(), w.AdapterToken()+".right.token"))
	must.Do(w.t, os.Link(wrong, w.AdapterToken()))
	w.storeIs("degraded", "store_unavailable")
	w.replace(w.AdapterToken(), token)
	w.storeIs("healthy", "") // so that the node has something to tell of the next fault
	key := w.generation(w.storeClient(w.ConsumerToken()), 1).PrivateKeyPEM
	must.Do(w.t, w.Process("store").Kill())
	w.meetHostile(key)
	_, err = w.RotateCertificate(w.t.Context(), automatic)
	var refused *deployment.Refused
	check.That(w.t, errors.As(err, &refused) && strings.HasPrefix(refused.Code, "store_"),
		"a rotation without a store: %v", err)
	must.Get(w.Start("store"))(w.t)
	w.gather("after a hostile store")
}

// generation is the generation of a slot.
func (w *world) generation(store secretstore.Store, slot int64) record.Generation {
	w.t.Helper()
	o, _ := must.Two(store.Read(w.t.Context(), record.GenerationPath(slot)))(w.t)
	return must.Get(record.ParseGeneration(o))(w.t)
}
