//go:build linux

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/cloud"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// perCheckpoint is how many transactions complete between two checkpoints.
const perCheckpoint = 10

// office is a tenant that issues certificates and hands out bundles: each
// transaction's at the checkpoint after it, and at as many more as are wanted.
type office struct {
	*harness.World
	exports int // of each transaction
	issued  int
	live    []handed // still to be exported
}

type handed struct {
	*cloud.Transaction
	left int // bundles of it that are to come
}

func newOffice(exports int) (*office, error) {
	w, err := harness.NewWorld(1, harness.ThreeNodes(), func(seal.Object) {})
	return &office{World: w, exports: exports}, err
}

// bundles gives so many different bundles to the function.
func (o *office) bundles(count int, each func(document []byte) error) error {
	for count > 0 {
		for range perCheckpoint {
			if err := o.issue(); err != nil {
				return err
			}
		}
		if err := o.Witness(o.Nodes[0], o.Nodes[1]); err != nil {
			return err
		}
		n := min(count, len(o.live))
		for _, t := range o.live[:n] {
			bundle, err := o.Cloud.Export(t.Transaction)
			if err != nil {
				return err
			}
			if err := each(seal.Canonical(bundle)); err != nil {
				return err
			}
		}
		count -= n
		o.forget()
	}
	return nil
}

// issue plays an issuance.
func (o *office) issue() error {
	o.issued++
	order := harness.Order{TransactionID: fmt.Sprintf("tx-2026-%07d", o.issued),
		Profile: "payments-api", Algorithm: "ecdsa-p256",
		Lifetime: 7 * 24 * time.Hour, Names: []string{fmt.Sprintf("dns:payments-%d.acme.example", o.issued)},
		Usages: []string{"serverAuth"}}
	t, err := o.Issue(order, o.Nodes[o.issued%3], o.Nodes[(o.issued+1)%3])
	delete(o.Keys.Workload, order.TransactionID)
	o.live = append(o.live, handed{t, o.exports})
	return err
}

// forget drops the transactions of which there are enough bundles.
func (o *office) forget() {
	o.live = slices.DeleteFunc(o.live, func(t handed) bool { return t.left == 1 })
	for i := range o.live {
		o.live[i].left--
	}
}

// bundleDir has one file for each bundle.
func (e evidence) bundleDir() string { return e.file("bundles") }

// program is the command that is measured.
func (e evidence) program() string { return e.file("svc-verify") }

// makeBundles writes the bundles and builds the program, unless they are there.
func (e evidence) makeBundles() error {
	if _, err := os.Stat(e.trust()); err == nil {
		return nil
	}
	if err := os.MkdirAll(e.bundleDir(), 0o750); err != nil {
		return err
	}
	o, err := newOffice(1)
	if err != nil {
		return err
	}
	number := 0
	err = o.bundles(e.events, func(document []byte) error {
		number++
		return os.WriteFile(filepath.Join(e.bundleDir(), fmt.Sprintf("%07d.json", number)), document, 0o600)
	})
	if err != nil {
		return err
	}
	if err := e.build(); err != nil {
		return err
	}
	return os.WriteFile(e.trust(), seal.Canonical(o.Trust()), 0o600)
}

// build builds the program.
func (e evidence) build() error {
	const program = "github.com/svc-edge/svc-verify/cmd/svc-verify"
	out, err := exec.Command("go", "build", "-o", e.program(),
		program).CombinedOutput() // #nosec G204 -- the developer names the folder
	if err != nil {
		err = errors.Join(err, errors.New(string(out)))
	}
	return err
}

// bundlePaths returns the paths of the bundles, in order.
func (e evidence) bundlePaths() ([]string, error) {
	entries, err := os.ReadDir(e.bundleDir())
	if err == nil && len(entries) != e.events {
		err = fmt.Errorf("expected %d bundles, found %d", e.events, len(entries))
	}
	paths := make([]string, len(entries))
	for i, entry := range entries {
		paths[i] = filepath.Join(e.bundleDir(), entry.Name())
	}
	return paths, err
}
