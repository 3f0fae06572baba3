package deployment_test

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/adapter"
	"github.com/svc-edge/svc-verify/service/deployment"
	"github.com/svc-edge/svc-verify/service/nodeconfig"
	"github.com/svc-edge/svc-verify/service/secretstore"
	"github.com/svc-edge/svc-verify/service/secretstore/record"
)

// TestSecretStore drives the secret store of a deployment of processes: a
// rotation of each mode, one that is rolled back, and the end of its assignment.
func TestSecretStore(t *testing.T) {
	t.Parallel()
	w := resume(t, prepareStore(t, nil))
	w.storeIs("healthy", "")
	w.bootstrapped()
	leaf := w.promotes()
	leaf = w.promotesByHand(leaf)
	w.rollsBack(leaf)
	w.withdraws(leaf)
	w.cancels()
	w.journalsHold()
	w.leaksNothing()
}

// cancels calls off a rotation that is staged, which the next one need not wait
// for.
func (w *world) cancels() {
	w.t.Helper()
	out, code := w.program("svc-harness", "rotate", "--dir", w.Dir, "--adapter", "secret-store", "--promotion", "manual")
	must.That(w.t, code == 0 && strings.Contains(out, "staged"), "rotate: exit %d\n%s", code, out)
	id := strings.Fields(out)[1]
	w.names(5, 6, 3)
	t, err := w.Call(w.t.Context(), "grace", "/api/v1/transactions/"+id+"/cancellation", seal.Object{})
	must.That(w.t, err == nil && t["code"] == "rotation_cancelled", "cancelled: %s, %v", seal.Canonical(t), err)
	w.verify(w.prove(id), "revoked")
	w.storeIs("healthy", "")
	w.names(5, 0, 3)
	w.serves(w.leaf(w.rotate(automatic, "promoted")))
	w.names(7, 0, 5)
}

// bootstrapped wants the bootstrap pair in use.
func (w *world) bootstrapped() {
	w.t.Helper()
	doc := must.Get(os.ReadFile(filepath.Join(w.Node(w.Nodes[0]), "bootstrap.pem")))(w.t)
	block, _ := pem.Decode(doc)
	w.serves(block.Bytes)
	w.names(1, 0, 0)
	log := must.Get(os.ReadFile(w.TenantLog()))(w.t)
	pending, healthy := bytes.Index(log, []byte(`"state":"pending_node"`)), bytes.Index(log, []byte(`"state":"healthy"`))
	check.That(w.t, pending >= 0 && healthy >= pending,
		"the tenant log has pending_node at %d and healthy at %d", pending, healthy)
}

// names wants the pointer to name these slots, 0 for none.
func (w *world) names(active, standby, previous int64) {
	w.t.Helper()
	p := w.pointer()
	if p.Active.Slot != active || p.Standby.Slot != standby || p.Previous.Slot != previous {
		w.t.Fatalf("the pointer names %d, %d, %d, want %d, %d, %d",
			p.Active.Slot, p.Standby.Slot, p.Previous.Slot, active, standby, previous)
	}
}

// promotes rotates automatically.
func (w *world) promotes() []byte {
	w.t.Helper()
	t := w.rotate(automatic, "promoted")
	w.serves(w.leaf(t))
	w.names(2, 0, 1)
	w.verify(w.prove(seal.Text(t, "transaction_id")), "issued")
	return w.leaf(t)
}

// promotesByHand rotates by the command line, in two steps.
func (w *world) promotesByHand(before []byte) []byte {
	w.t.Helper()
	out, code := w.program("svc-harness", "rotate", "--dir", w.Dir, "--adapter", "secret-store", "--promotion", "manual")
	must.That(w.t, code == 0 && strings.Contains(out, "staged"), "rotate: exit %d\n%s", code, out)
	id := strings.Fields(out)[1]
	w.names(2, 3, 1)
	w.serves(before)
	if out, code = w.program("svc-harness", "call", "--dir", w.Dir, "/api/v1/transactions/"+id+"/promotion", "{}"); code != 0 ||
		!strings.Contains(out, `"promoting"`) {
		w.t.Fatalf("promote: exit %d\n%s", code, out)
	}
	must.EventuallyOK(w.t, "the promotion", func() error {
		t, err := w.Call(w.t.Context(), "ada", "/api/v1/transactions/"+id, nil)
		if status := seal.Text(seal.Member(t, "rotation"), "status"); err == nil && status != "promoted" {
			err = fmt.Errorf("the rotation is %s", status)
		}
		return err
	})
	w.names(3, 0, 2)
	t := must.Get(w.Call(w.t.Context(), "ada", "/api/v1/transactions/"+id+"/promotion", seal.Object{}))(w.t)
	w.serves(w.leaf(t))
	return w.leaf(t)
}

// rollsBack kills the node in the middle of a health check that cannot succeed.
func (w *world) rollsBack(leaf []byte) {
	w.t.Helper()
	must.Do(w.t, w.SetWorkloadMode("stuck"))
	type outcome struct {
		out  string
		code int
	}
	ended := make(chan outcome, 1)
	go func() {
		out, code := w.program("svc-harness", "rotate", "--dir", w.Dir, "--adapter", "secret-store")
		ended <- outcome{out, code}
	}()
	node := w.Nodes[0]
	must.EventuallyOK(w.t, "the move", func() error {
		b, err := os.ReadFile(w.Journal(node))
		if n := bytes.Count(b, []byte(`"type":"rotation.pointer_moved"`)); err == nil && n != 3 {
			err = fmt.Errorf("the pointer was moved %d times, want 3", n)
		}
		return err
	})
	w.names(4, 0, 3)
	must.Do(w.t, w.Process(node).Kill())
	must.Get(w.Start(node))(w.t)
	if o := <-ended; o.code != 1 || !strings.Contains(o.out, "promotion_interrupted") {
		w.t.Errorf("rotate: exit %d, want 1 and promotion_interrupted\n%s", o.code, o.out)
	} else {
		w.verify(w.prove(strings.Fields(o.out)[1]), "revoked") // it is in use no more
	}
	w.names(3, 0, 2)
	must.Do(w.t, w.SetWorkloadMode("follow"))
	w.storeIs("healthy", "")
	w.serves(leaf)
}

// withdraws unassigns the secret store, which leaves everything as it is, and
// assigns it again.
func (w *world) withdraws(leaf []byte) {
	w.t.Helper()
	path := "/api/v1/integrations/" + adapter.SecretStore + "-" + w.Nodes[0]
	must.Get(w.do(http.MethodDelete, path, nil))(w.t)
	w.storeIs("disabled", "")
	must.EventuallyOK(w.t, "the tombstone", func() error {
		i, err := w.integration(w.Nodes[0], adapter.SecretStore)
		if err == nil && seal.Text(i, "error_code") != "store_awaiting_desired_state" {
			err = fmt.Errorf("the node has %v", i)
		}
		return err
	})
	_, err := w.do(http.MethodPost, "/v1/managed/rotate", seal.Object{
		"integrationKind": adapter.SecretStore, "integrationId": adapter.SecretStore + "-" + w.Nodes[0],
		"promotionMode": "manual", "names": seal.Strings([]string{"dns:payments-api.acme-corp.example"}),
		"algorithm": "ecdsa-p256",
	})
	check.That(w.t, err != nil && strings.Contains(err.Error(), "secret_store_integration_unavailable"),
		"a rotation without an assignment: %v", err)
	w.names(3, 0, 2)
	w.serves(leaf)
	w.serves(w.leaf(w.rotate(automatic, "promoted")))
	w.names(5, 0, 3)
}

// storePlan is a deployment of one node with a secret store.
var storePlan = deployment.Plan{TenantID: "acme-corp", Nodes: deployment.NodeIDs(1), SecretStore: true}

// prepareStore prepares a deployment of storePlan, with further settings of its node if there
// are any. The rollback window is longer than any test, so that the pointer's content depends
// on no clock.
func prepareStore(t *testing.T, settings seal.Object) *deployment.Deployment {
	t.Helper()
	d := prepare(t, storePlan)
	configure(t, d, func(config seal.Object) {
		maps.Copy(config, settings)
		config["secret_store_rollback_window_seconds"] = int64(3600)
	})
	return d
}

// automatic is the rotation of the tests.
var automatic = deployment.Rotation{Node: storePlan.Nodes[0], Adapter: adapter.SecretStore,
	Promotion: "automatic_after_health"}

// storeClient reads the secret store with the token of a file.
func (w *world) storeClient(tokenFile string) *secretstore.Client {
	w.t.Helper()
	doc := must.Get(os.ReadFile(w.StoreAuthority()))(w.t)
	block, _ := pem.Decode(doc)
	ca := must.Get(x509.ParseCertificate(block.Bytes))(w.t)
	return secretstore.NewClient(&nodeconfig.SecretStore{
		Address: "https://" + w.At["store"], Mount: deployment.StoreMount, BasePath: deployment.StoreBase,
		TokenFile:   nodeconfig.File{Path: tokenFile},
		Authorities: nodeconfig.Authorities{Certificates: []*x509.Certificate{ca}}, RequestTimeout: 10 * time.Second,
	})
}

// pointer is the pointer as a consumer reads it.
func (w *world) pointer() record.Pointer {
	w.t.Helper()
	o, _ := must.Two(w.storeClient(w.ConsumerToken()).Read(w.t.Context(), record.PointerPath))(w.t)
	return must.Get(record.ParsePointer(o))(w.t)
}

// served is the leaf that the workload shows.
func (w *world) served() ([]byte, error) {
	dialer := &tls.Dialer{NetDialer: &net.Dialer{Timeout: 10 * time.Second},
		Config: &tls.Config{InsecureSkipVerify: true}} //nolint:gosec // the leaf is what is asked for
	conn, err := dialer.DialContext(w.t.Context(), "tcp", w.At["workload"])
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close() }()
	return conn.(*tls.Conn).ConnectionState().PeerCertificates[0].Raw, nil
}

// serves waits until the workload shows a leaf.
func (w *world) serves(leaf []byte) {
	w.t.Helper()
	must.EventuallyOK(w.t, "the leaf that the workload serves", func() error {
		found, err := w.served()
		if err == nil && !bytes.Equal(found, leaf) {
			err = fmt.Errorf("it is %.8s…, want %.8s…", seal.SHA256(found), seal.SHA256(leaf))
		}
		return err
	})
}

// storeIs waits until the console shows the secret store in a state. Meanwhile
// certificates are issued: a node that has nothing to do lets the cloud hold its
// poll, and looks at the store when it is over.
func (w *world) storeIs(state, code string) {
	w.t.Helper()
	must.EventuallyOK(w.t, "the integration "+state, func() error {
		i := w.storeIntegration()
		if seal.Text(i, "state") == state && seal.Text(i, "error_code") == code {
			return nil
		}
		w.issue()
		return fmt.Errorf("it is %v", i)
	})
}

// storeIntegration is the secret store as the console shows it.
func (w *world) storeIntegration() seal.Object {
	w.t.Helper()
	for _, i := range seal.ObjectList(w.overview(), "integrations") {
		if seal.Text(i, "kind") == adapter.SecretStore {
			return i
		}
	}
	return nil
}

// leaf is the certificate of a transaction.
func (w *world) leaf(transaction seal.Object) []byte {
	w.t.Helper()
	list := seal.Texts(transaction, "certificates")
	must.That(w.t, len(list) != 0, "the transaction has no certificates: %v", transaction)
	return must.Get(base64.RawURLEncoding.DecodeString(list[0]))(w.t)
}

// rotate rotates the certificate in the secret store, and wants the rotation to
// end in a status.
func (w *world) rotate(r deployment.Rotation, status string) seal.Object {
	w.t.Helper()
	t := must.Get(w.RotateCertificate(w.t.Context(), r))(w.t)
	must.Equal(w.t, seal.Text(seal.Member(t, "rotation"), "status"), status, "the rotation")
	return t
}
