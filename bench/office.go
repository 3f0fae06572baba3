//go:build linux

package main

import (
	"fmt"
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

// forget drops the transactions that have enough bundles.
func (o *office) forget() {
	o.live = slices.DeleteFunc(o.live, func(t handed) bool { return t.left == 1 })
	for i := range o.live {
		o.live[i].left--
	}
}
