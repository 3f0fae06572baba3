package deployment

import (
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"

	"github.com/svc-edge/svc-verify/harness/pki"
	"github.com/svc-edge/svc-verify/service/secretstore/record"
	"github.com/svc-edge/svc-verify/service/workload"
)

// The parts that only a deployment with a secret store has.

// Where certificates are in the secret store, and the console's name for it.
const (
	StoreMount     = "kv"
	StoreBase      = "edge/payments"
	storeReference = "local/payments"
	storeProfile   = "payments-api"
)

// delivers reports whether a node delivers into the secret store.
func (l *Layout) delivers(id string) bool { return l.SecretStore && id == l.Nodes[0] }

// StoreAuthority is the file of the authority of the secret store's server.
func (l *Layout) StoreAuthority() string { return l.path("authorities", "store.pem") }

// AdapterToken is the file of the token of the node that delivers.
func (l *Layout) AdapterToken() string { return l.path("store", "adapter.token") }

// ConsumerToken is the file of the workload's token.
func (l *Layout) ConsumerToken() string { return l.path("store", "consumer.token") }

// StoreFile is where the secret store keeps its secrets.
func (l *Layout) StoreFile() string { return l.path("store", "secrets.json") }

// HealthURL is where the workload of the secret store shows which leaf it uses.
func (l *Layout) HealthURL() string { return "https://" + l.At[partWorkload] + workload.HealthPath }

// PointerURL is where the secret store has the pointer.
func (l *Layout) PointerURL() string {
	return "https://" + l.At[partStore] + "/v1/" + StoreMount + "/data/" + StoreBase + "/" + record.PointerPath
}

// secretStore makes the files that the secret store and its workload start with, if the
// deployment has them.
func (s setup) secretStore() error {
	if !s.SecretStore {
		return nil
	}
	for _, part := range []string{"store", "workload"} {
		if err := os.MkdirAll(s.path(part), 0o700); err != nil {
			return err
		}
	}
	return errors.Join(
		s.issue("store", s.path("store", "server.pem"), serverTemplate("store")),
		pki.WriteSecret(s.AdapterToken(), []byte(rand.Text()+"\n")),
		pki.WriteSecret(s.ConsumerToken(), []byte(rand.Text()+"\n")),
	)
}

// bootstrap makes everything that the delivering node needs besides its token: a directory,
// and a pair of another authority that represents the certificates from before.
func (s setup) bootstrap(id string) error {
	if err := os.MkdirAll(filepath.Join(s.Node(id), "managed"), 0o700); err != nil {
		return err
	}
	return s.issue("bootstrap", filepath.Join(s.Node(id), "bootstrap.pem"), serverTemplate(storeProfile))
}

// workloadMode is the file that sets how the workload behaves.
func (l *Layout) workloadMode() string { return l.path("workload", "mode") }

// SetWorkloadMode changes how the workload of the secret store behaves.
func (d *Deployment) SetWorkloadMode(name string) error {
	if !d.SecretStore {
		return errNoStore
	}
	mode, err := workload.ParseMode(name)
	if err != nil {
		return err
	}
	return pki.WriteFile(d.workloadMode(), []byte(mode+"\n"), 0o600)
}

var errNoStore = errors.New("this deployment has no secret store; svc-harness up --secret-store makes one that has")

// mend sets the collector and the workload back to their normal modes.
func (d *Deployment) mend() error {
	if !d.SecretStore {
		return d.SetCollectorMode("accept")
	}
	return errors.Join(d.SetCollectorMode("accept"), d.SetWorkloadMode(string(workload.Follow)))
}
