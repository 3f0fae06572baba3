package agent

import (
	"context"
	"crypto"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/consent"
	"github.com/svc-edge/svc-verify/harness/pki"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/durable"
	"github.com/svc-edge/svc-verify/service/httpd"
	"github.com/svc-edge/svc-verify/service/topic"
)

// identity is the key that the node signs with, through all its generations.
type identity struct {
	*core
	generation int64 // of the key
}

// restore reads every generation of the node's key, or makes the first.
func (i *identity) restore(roster *consent.Roster) error {
	identity, err := i.store.Get(kindIdentity, only)
	if err != nil {
		return err
	}
	if identity == nil {
		if identity, err = i.begin(); err != nil {
			return err
		}
	}
	if tenant, id := seal.Text(identity, "tenant_id"), seal.Text(identity, "node_id"); tenant != i.config.TenantID ||
		id != i.config.NodeID {
		return fmt.Errorf("the state directory is that of node %q of %q", id, tenant)
	}
	i.generation = seal.Integer(identity, "generation")
	for g := int64(1); g <= i.generation; g++ {
		key, err := ReadKey(i.config.StateDirectory.Path, i.config.NodeID, g)
		if err != nil {
			return err
		}
		if want := seal.Text(seal.Member(identity, "keys"), key.ID); seal.Base64(key.Public()) != want {
			return fmt.Errorf("%s: expected the private key of %s, found another", keyFile(g), want)
		}
		roster.Nodes[key.ID] = key.Public()
		i.key.Store(&key)
	}
	return nil
}

// begin makes the first key of a new node, and the statement that enrols it.
func (i *identity) begin() (seal.Object, error) {
	if sequence, err := i.store.Sequence(); err != nil || sequence > 0 {
		return nil, errors.Join(err, fmt.Errorf("the state directory has a journal of %d events, and no identity",
			sequence))
	}
	key, err := makeKey(i.config.StateDirectory.Path, i.config.NodeID, 1)
	if err != nil {
		return nil, err
	}
	i.key.Store(&key)
	identity := seal.Object{
		"tenant_id": i.config.TenantID, "node_id": i.config.NodeID, "generation": int64(1),
		"keys": seal.Object{key.ID: seal.Base64(key.Public())},
	}
	return identity, i.store.Update(func(tx *durable.Tx) error {
		if err := tx.Put(kindIdentity, only, identity); err != nil {
			return err
		}
		return tx.Put(kindEnrolment, enrolmentID(1), i.enrolment(key))
	})
}

func enrolmentID(generation int64) string { return fmt.Sprintf("%06d", generation) }

// enrolment is the statement that makes a key of the node known to the cloud,
// signed with the key that the node has now: the first generation signs for
// itself, each later one is named by the one before it.
func (i *identity) enrolment(key seal.Key) seal.Object {
	return i.sign(seal.Object{
		"protocol":    "svc.node-enrolment.v1",
		"tenant_id":   i.config.TenantID,
		"node_id":     i.config.NodeID,
		"key_id":      key.ID,
		"public_key":  seal.Base64(key.Public()),
		"enrolled_at": seal.Time(i.now()),
	})
}

// enrol hands over the statements that the cloud has not taken yet.
func (i *identity) enrol(ctx context.Context) error {
	statements, err := i.store.List(kindEnrolment, "", page)
	if err != nil {
		return err
	}
	for _, s := range statements {
		if _, err := i.cloud.Do(ctx, http.MethodPost, i.path("enrolment"),
			seal.Object{"enrolment": s.Document}); err != nil {
			return fmt.Errorf("enrolment: %w", err)
		}
		err := i.update(func(tx *durable.Tx) error { return tx.Delete(kindEnrolment, s.ID) })
		if err != nil {
			return err
		}
		i.log.Info("enrolled", "key_id", seal.Text(seal.Member(s.Document, "statement"), "key_id"))
	}
	return nil
}

var errForeignKey = errors.New(
	"local_api_private_key_file: expected a key that the node signs with, as trust events are subscribed to")

// has reports whether a public key belongs to a generation of the node's key.
func (i *identity) has(public crypto.PublicKey) bool {
	for g := int64(1); g <= i.generation; g++ {
		key, err := ReadKey(i.config.StateDirectory.Path, i.config.NodeID, g)
		if err == nil && key.Public().Equal(public) {
			return true
		}
	}
	return false
}

// rotate carries out an order to rotate, once: it replaces the key by the next
// generation. The old key signs the event and the trust event that name the new
// one, and its enrolment.
func (i *identity) rotate(order string) error {
	err := i.update(func(tx *durable.Tx) error {
		identity, err := i.store.Get(kindIdentity, only)
		if err != nil || seal.Text(identity, "order") == order {
			return err
		}
		next, err := makeKey(i.config.StateDirectory.Path, i.config.NodeID, i.generation+1)
		if err != nil {
			return refuse(err)
		}
		public := seal.Base64(next.Public())
		identity["order"], identity["generation"] = order, i.generation+1
		seal.Member(identity, "keys")[next.ID] = public
		err = errors.Join(
			tx.Put(kindIdentity, only, identity),
			tx.Put(kindEnrolment, enrolmentID(i.generation+1), i.enrolment(next)),
			i.publish(topic.IdentityRotated, seal.Object{"key_id": next.ID, "public_key": public}),
		)
		i.node.RotateTo(next)
		i.key.Store(&next)
		i.generation++
		return err
	})
	if err == nil {
		i.log.Info("the identity was rotated", "key_id", i.key.Load().ID)
		i.Wake()
	}
	return err
}

// rotationOrder is the file by which an operator asks for a rotation.
const rotationOrder = "rotate-identity"

// OrderRotation asks the node of a state directory to rotate its identity: at
// once if it runs, else when it starts.
func OrderRotation(directory string) error {
	order := seal.Base64(chance.Fresh().Stream("order").Bytes(16))
	return pki.WriteSecret(filepath.Join(directory, rotationOrder), []byte(order))
}

// RotationOrdered reports whether an order has not been carried out yet.
func RotationOrdered(directory string) bool {
	_, err := os.Lstat(filepath.Join(directory, rotationOrder))
	return err == nil
}

// orderInterval is how often the node looks for an order.
const orderInterval = 500 * time.Millisecond

// watch carries out orders until the context ends.
func (i *identity) watch(ctx context.Context) error {
	for ctx.Err() == nil {
		if err := i.carryOut(); err != nil {
			i.log.Error("the identity could not be rotated", "error", err.Error())
		}
		if err := i.dead(); err != nil {
			return err
		}
		_ = httpd.Pause(ctx, orderInterval, nil)
	}
	return nil
}

// carryOut carries out an order, if there is one. If the process ends before
// the file is gone, the order is known to have been carried out.
func (i *identity) carryOut() error {
	path := filepath.Join(i.config.StateDirectory.Path, rotationOrder)
	order, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := i.rotate(string(order)); err != nil {
		return err
	}
	return os.Remove(path)
}

// keyFile is the name of the file of a key generation.
func keyFile(generation int64) string {
	if generation == 1 {
		return "identity.key"
	}
	return "identity-" + strconv.FormatInt(generation, 10) + ".key"
}

// MakeIdentity returns the first generation of a node's key from its state
// directory. It makes the key, and the directory, if they are not there.
func MakeIdentity(directory, nodeID string) (seal.Key, error) {
	if err := os.MkdirAll(directory, 0o700); err != nil {
		return seal.Key{}, err
	}
	return makeKey(directory, nodeID, 1)
}

// makeKey returns a key generation, and makes it if it is not there: one that
// was made, and not announced before the process ended, is taken up again.
func makeKey(directory, nodeID string, generation int64) (seal.Key, error) {
	private, err := pki.OpenKey(filepath.Join(directory, keyFile(generation)))
	return seal.Key{ID: consent.KeyID(nodeID, int(generation)), Private: private}, err
}

// ReadKey returns a key generation of a node from its state directory.
func ReadKey(directory, nodeID string, generation int64) (seal.Key, error) {
	private, err := pki.ReadKey(filepath.Join(directory, keyFile(generation)))
	return seal.Key{ID: consent.KeyID(nodeID, int(generation)), Private: private}, err
}
