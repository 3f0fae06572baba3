package agent

import (
	"context"
	"crypto"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/keyfile"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/durable"
)

var errForeignKey = errors.New("local_api_private_key_file: expected a key that the node signs with, as trust events are subscribed to")

// ownKey reports whether a public key is that of a generation of the node's key.
func (a *Agent) ownKey(public crypto.PublicKey) bool {
	for g := int64(1); g <= a.generation; g++ {
		key, err := readKey(a.config.StateDirectory.Path, a.config.NodeID, g)
		if err == nil && key.Public().Equal(public) {
			return true
		}
	}
	return false
}

// RotateIdentity replaces the node's key by the next generation. The old key
// signs the event and the trust event that name the new one, and its enrolment.
func (a *Agent) RotateIdentity() error {
	return a.rotate(seal.Base64(chance.Fresh().Stream("order").Bytes(16)))
}

// rotate carries out an order to rotate, once.
func (a *Agent) rotate(order string) error {
	err := a.update(func(tx *durable.Tx) error {
		identity, err := a.store.Get(kindIdentity, only)
		if err != nil || seal.Text(identity, "order") == order {
			return err
		}
		next, err := makeKey(a.config.StateDirectory.Path, a.config.NodeID, a.generation+1)
		if err != nil {
			return refuse(err)
		}
		public := seal.Base64(next.Public())
		identity["order"], identity["generation"] = order, a.generation+1
		seal.Member(identity, "keys")[next.ID] = public
		err = errors.Join(
			tx.Put(kindIdentity, only, identity),
			tx.Put(kindEnrolment, enrolmentID(a.generation+1), a.enrolment(next)),
			a.publish("identity.rotated", seal.Object{"key_id": next.ID, "public_key": public}),
		)
		a.node.RotateTo(next)
		a.key.Store(&next)
		a.generation++
		return err
	})
	if err == nil {
		a.log.Info("the identity was rotated", "key_id", a.key.Load().ID)
		a.Wake()
	}
	return err
}

// rotationOrder is the file by which an operator asks for a rotation.
const rotationOrder = "rotate-identity"

// OrderRotation asks the node of a state directory to rotate its identity: at
// once if it runs, else when it starts.
func OrderRotation(directory string) error {
	order := seal.Base64(chance.Fresh().Stream("order").Bytes(16))
	return keyfile.Write(filepath.Join(directory, rotationOrder), []byte(order))
}

// RotationOrdered reports whether an order has not been carried out yet.
func RotationOrdered(directory string) bool {
	_, err := os.Lstat(filepath.Join(directory, rotationOrder))
	return err == nil
}

// orderInterval is how often the node looks for an order.
const orderInterval = 500 * time.Millisecond

// watchRotation carries out orders until the context ends.
func (a *Agent) watchRotation(ctx context.Context) error {
	ticker := time.NewTicker(orderInterval)
	defer ticker.Stop()
	for {
		if err := a.carryOut(); err != nil {
			a.log.Error("the identity could not be rotated", "error", err.Error())
		}
		if err := a.dead(); err != nil {
			return err
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// carryOut carries out an order, if there is one. If the process ends before
// the file is gone, the order is known to have been carried out.
func (a *Agent) carryOut() error {
	path := filepath.Join(a.config.StateDirectory.Path, rotationOrder)
	order, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := a.rotate(string(order)); err != nil {
		return err
	}
	return os.Remove(path)
}
