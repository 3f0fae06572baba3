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
	"os"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/deployment"
	"github.com/svc-edge/svc-verify/service/nodeconfig"
	"github.com/svc-edge/svc-verify/service/secretstore"
	"github.com/svc-edge/svc-verify/service/secretstore/record"
)

// storePlan is a deployment of one node with a secret store.
var storePlan = deployment.Plan{TenantID: "acme-corp", Nodes: deployment.NodeIDs(1), SecretStore: true}

// prepareStore prepares a deployment of storePlan, with further settings of its
// node if there are any. The rollback window is longer than any test, so that
// what the pointer names depends on no clock.
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
var automatic = deployment.Rotation{Node: storePlan.Nodes[0], Adapter: deployment.AdapterSecretStore,
	Promotion: "automatic_after_health"}

// storeClient reads the secret store with the token of a file.
func (w *world) storeClient(tokenFile string) *secretstore.Client {
	w.t.Helper()
	doc := must.Get(os.ReadFile(w.StoreAuthority()))(w.t)
	block, _ := pem.Decode(doc)
	ca := must.Get(x509.ParseCertificate(block.Bytes))(w.t)
	return secretstore.NewClient(&nodeconfig.SecretStore{
		Address: "https://" + w.Store, Mount: deployment.StoreMount, BasePath: deployment.StoreBase,
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
	conn, err := dialer.DialContext(w.t.Context(), "tcp", w.Workload)
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
		if seal.Text(i, "kind") == deployment.AdapterSecretStore {
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
