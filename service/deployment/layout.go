package deployment

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/svc-edge/svc-verify/harness/pki"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/httpd"
)

// The holders of certificates in a deployment. Resuming after a pause needs two operators. The
// console is none: it acts as one of them.
var (
	Operators = []string{"ada", "grace"}
	Workloads = []string{"payments-api", "ledger-batch", "edge-gateway"}
	Observers = []string{"soc", "prometheus"}
)

// Plan describes a deployment.
type Plan struct {
	TenantID string   `json:"tenant_id"`
	Nodes    []string `json:"nodes"` // node ids
	// SecretStore adds a secret store, into which the first node delivers, and a workload that
	// reads its certificate from there.
	SecretStore bool `json:"secret_store"`
}

// NodeIDs are the ids of so many nodes, up to 9.
func NodeIDs(count int) []string {
	cities := []string{"oslo", "berlin", "lisbon", "turin", "ghent", "porto", "malmo", "brno", "riga"}
	ids := make([]string, count)
	for i := range ids {
		ids[i] = "mesh-" + cities[i] + "-1"
	}
	return ids
}

// Deployment is a deployment that was set up in a directory.
type Deployment struct {
	*Layout
	Customer
}

// newDeployment is the deployment of a layout.
func newDeployment(l *Layout) *Deployment { return &Deployment{l, Customer{l}} }

// Layout is where a deployment has its parts, files in a directory and addresses:
//
//	deployment.json           the plan, and every address
//	authorities/              who issues certificates: cloud, local, collector; store, bootstrap
//	clients/                  certificates and keys of operators, workloads, observers
//	cloud/                    the cloud's server certificate, and its state
//	collector/                the collector's server certificate, and its dumps
//	nodes/<node id>/          config.json with all that it names, and the state
//	store/                    the secret store's server certificate, secrets and tokens
//	workload/                 the mode of the secret store's workload
//	trust.json                the pinned keys, as the customer collects them
//	logs/                     the output of the processes
type Layout struct {
	Plan
	Dir string            `json:"-"`
	At  map[string]string `json:"addresses"` // where each of [Layout.listeners] listens, host:port
}

func (l *Layout) path(parts ...string) string {
	return filepath.Join(append([]string{l.Dir}, parts...)...)
}

// Client is the file of a caller's certificate; its key is next to it.
func (l *Layout) Client(role, name string) string {
	return l.path("clients", role+"-"+name+".pem")
}

// Node is the directory of a node.
func (l *Layout) Node(id string) string { return l.path("nodes", id) }

// id is the SPIFFE id of a caller.
func (l *Layout) id(role, name string) *url.URL {
	return &url.URL{Scheme: "spiffe", Host: l.TenantID + ".example", Path: "/" + role + "/" + name}
}

// Open opens the deployment of a directory.
func Open(dir string) (*Deployment, error) {
	b, err := os.ReadFile(filepath.Join(dir, planFile)) //nolint:gosec // the operator's own directory
	if err != nil {
		return nil, err
	}
	l := &Layout{Dir: dir}
	if _, err = seal.Parse(b); err == nil {
		err = json.Unmarshal(b, l)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, planFile), err)
	}
	nowhere := func(name string) bool { return l.At[name] == "" }
	if l.TenantID == "" || len(l.Nodes) == 0 || slices.ContainsFunc(l.listeners(), nowhere) {
		return nil, fmt.Errorf("%s: expected tenant_id, nodes and the address of every part",
			filepath.Join(dir, planFile))
	}
	return newDeployment(l), nil
}

// partConsole is the console, which is no process of its own.
const partConsole = "console"

// listeners are the names of everything that listens.
func (l *Layout) listeners() []string { return append(l.Parts(), partConsole) }

// planFile marks the directory of a deployment.
const planFile = "deployment.json"

func (l *Layout) save() error {
	b, err := json.Marshal(l)
	if err != nil {
		return err
	}
	return pki.WriteFile(l.path(planFile), append(b, '\n'), 0o600)
}

// tenantID matches the ids that a tenant of a deployment may have: its SPIFFE trust domain
// begins with it, and so do the names of its workloads.
var tenantID = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`)

// Prepare sets a deployment up in a directory, or opens the one that is there: then the plan
// is ignored.
func Prepare(dir string, plan Plan) (*Deployment, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if d, err := Open(dir); !errors.Is(err, fs.ErrNotExist) {
		return d, err
	}
	if !tenantID.MatchString(plan.TenantID) {
		return nil, fmt.Errorf("the tenant: expected 1 to 63 lower-case letters, digits and inner hyphens, found %.64q",
			plan.TenantID)
	}
	l := &Layout{Plan: plan, Dir: dir, At: map[string]string{}}
	for _, part := range []string{"authorities", "clients", "cloud/state", "collector/dumps", "logs"} {
		if err := os.MkdirAll(l.path(part), 0o700); err != nil {
			return nil, err
		}
	}
	s := setup{l}
	for _, step := range []func() error{s.addresses, s.certificates, s.secretStore, s.configurations, l.save} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return newDeployment(l), nil
}

// addresses finds a free port for each server. All are held until the last is
// found, so that none is given out twice.
func (s setup) addresses() error {
	for _, name := range s.listeners() {
		l, err := httpd.Listen()
		if err != nil {
			return err
		}
		defer func() { _ = l.Close() }()
		s.At[name] = l.Addr().String()
	}
	return nil
}

// certificates has the three authorities issue to everyone but the nodes.
func (s setup) certificates() error {
	errs := []error{
		s.issue("cloud", s.path("cloud", "server.pem"), serverTemplate("cloud")),
		s.issue("collector", s.path("collector", "server.pem"), serverTemplate("collector")),
	}
	for role, names := range map[string][]string{"operator": Operators, "workload": Workloads} {
		for _, name := range names {
			errs = append(errs, s.issue("cloud", s.Client(role, name), clientTemplate(s.id(role, name))))
		}
	}
	for _, name := range Observers {
		errs = append(errs, s.issue("local", s.Client("observer", name), clientTemplate(s.id("observer", name))))
	}
	return errors.Join(errs...)
}
