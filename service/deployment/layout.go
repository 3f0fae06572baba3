package deployment

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/httpd"
)

// Who has a certificate in a deployment. Resuming after a pause takes two
// operators. The console is none: it acts as one of them.
var (
	Operators = []string{"ada", "grace"}
	Workloads = []string{"payments-api", "ledger-batch", "edge-gateway"}
	Observers = []string{"soc", "prometheus"}
)

// Plan is what a deployment is to be.
type Plan struct {
	TenantID string
	Nodes    []string // node ids
	// SecretStore adds a secret store, into which the first node delivers, and a
	// workload that takes its certificate from there.
	SecretStore bool
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

// Deployment is a deployment that was set up in a directory:
//
//	deployment.json           the plan, and every address
//	authorities/              who issues certificates: cloud, local, collector; store, bootstrap
//	clients/                  certificates and keys of operators, workloads, observers
//	cloud/                    the cloud's server certificate, and its state
//	collector/                the collector's server certificate, and its dumps
//	nodes/<node id>/          config.json with all that it names, and the state
//	store/                    the secret store's server certificate, what it holds, and its tokens
//	workload/                 the mode of the secret store's workload
//	trust.json                the pinned keys, as the customer collects them
//	logs/                     what the processes said
type Deployment struct {
	Plan
	Dir       string
	Cloud     string            // host:port
	Console   string            // host:port
	Collector string            // host:port
	Store     string            // host:port of the secret store, "" without one
	Workload  string            // host:port of its workload, "" without one
	APIs      map[string]string // of the nodes, host:port, by node id
}

func (d *Deployment) path(parts ...string) string {
	return filepath.Join(append([]string{d.Dir}, parts...)...)
}

// Client is the file of a caller's certificate; its key is beside it.
func (d *Deployment) Client(role, name string) string {
	return d.path("clients", role+"-"+name+".pem")
}

// Node is the directory of a node.
func (d *Deployment) Node(id string) string { return d.path("nodes", id) }

// id is the SPIFFE id of a caller.
func (d *Deployment) id(role, name string) *url.URL {
	return &url.URL{Scheme: "spiffe", Host: d.TenantID + ".example", Path: "/" + role + "/" + name}
}

// Open takes up the deployment of a directory.
func Open(dir string) (*Deployment, error) {
	b, err := os.ReadFile(filepath.Join(dir, planFile)) //nolint:gosec // the operator's own directory
	if err != nil {
		return nil, err
	}
	o, err := seal.Parse(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, planFile), err)
	}
	d := &Deployment{
		Plan: Plan{TenantID: seal.Text(o, "tenant_id"), Nodes: seal.Texts(o, "nodes")}, Dir: dir, APIs: map[string]string{},
		Cloud: seal.Text(o, "cloud"), Console: seal.Text(o, "console"), Collector: seal.Text(o, "collector"),
		Store: seal.Text(o, "store"), Workload: seal.Text(o, "workload"),
	}
	d.SecretStore = d.Store != "" || d.Workload != ""
	for _, id := range d.Nodes {
		d.APIs[id] = seal.Text(seal.Member(o, "apis"), id)
	}
	if d.TenantID == "" || len(d.Nodes) == 0 || slices.Contains(slices.Collect(maps.Values(d.addressOf())), "") {
		return nil, fmt.Errorf("%s: expected tenant_id, nodes and the address of every part", filepath.Join(dir, planFile))
	}
	return d, nil
}

// addressOf is where each part listens, by its name.
func (d *Deployment) addressOf() map[string]string {
	all := map[string]string{"cloud": d.Cloud, "console": d.Console, "collector": d.Collector}
	if d.SecretStore {
		all[partStore], all[partWorkload] = d.Store, d.Workload
	}
	maps.Copy(all, d.APIs)
	return all
}

// planFile marks a directory as that of a deployment.
const planFile = "deployment.json"

func (d *Deployment) save() error {
	apis := seal.Object{}
	for id, address := range d.APIs {
		apis[id] = address
	}
	o := seal.Object{
		"tenant_id": d.TenantID, "nodes": seal.Strings(d.Nodes), "apis": apis,
		"cloud": d.Cloud, "console": d.Console, "collector": d.Collector,
	}
	if d.SecretStore {
		o["store"], o["workload"] = d.Store, d.Workload
	}
	return writeFile(d.path(planFile), append(seal.Canonical(o), '\n'), 0o600)
}

// tenantID is what a tenant of a deployment may be called: its SPIFFE trust
// domain begins with it, and so do the names of its workloads.
var tenantID = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`)

// Prepare sets a deployment up in a directory, or takes up the one that is
// there: then the plan is not looked at.
func Prepare(dir string, plan Plan) (*Deployment, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if d, err := Open(dir); !errors.Is(err, fs.ErrNotExist) {
		return d, err
	}
	if !tenantID.MatchString(plan.TenantID) {
		return nil, fmt.Errorf("the tenant: expected 1 to 63 lower-case letters, digits and inner hyphens, found %.64q", plan.TenantID)
	}
	d := &Deployment{Plan: plan, Dir: dir, APIs: map[string]string{}}
	for _, part := range []string{"authorities", "clients", "cloud/state", "collector/dumps", "logs"} {
		if err := os.MkdirAll(d.path(part), 0o700); err != nil {
			return nil, err
		}
	}
	for _, step := range []func() error{d.addresses, d.certificates, d.secretStore, d.configurations, d.save} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// addresses finds a free port for each server. All are held until the last is
// found, so that none is given out twice.
func (d *Deployment) addresses() error {
	var held []net.Listener
	defer func() {
		for _, l := range held {
			_ = l.Close()
		}
	}()
	free := func() (string, error) {
		l, err := httpd.Listen()
		if err != nil {
			return "", err
		}
		held = append(held, l)
		return l.Addr().String(), nil
	}
	var err error
	servers := []*string{&d.Cloud, &d.Console, &d.Collector}
	if d.SecretStore {
		servers = append(servers, &d.Store, &d.Workload)
	}
	for _, address := range servers {
		if *address, err = free(); err != nil {
			return err
		}
	}
	for _, id := range d.Nodes {
		if d.APIs[id], err = free(); err != nil {
			return err
		}
	}
	return nil
}

// certificates has the three authorities issue to everyone but the nodes.
func (d *Deployment) certificates() error {
	cloud, err := openAuthority(d.path("authorities"), "cloud")
	if err != nil {
		return err
	}
	local, err := openAuthority(d.path("authorities"), "local")
	if err != nil {
		return err
	}
	collector, err := openAuthority(d.path("authorities"), "collector")
	if err != nil {
		return err
	}
	errs := []error{
		cloud.issueTo(d.path("cloud", "server.pem"), serverTemplate("cloud")),
		collector.issueTo(d.path("collector", "server.pem"), serverTemplate("collector")),
	}
	for role, names := range map[string][]string{"operator": Operators, "workload": Workloads} {
		for _, name := range names {
			errs = append(errs, cloud.issueTo(d.Client(role, name), client(d.id(role, name))))
		}
	}
	for _, name := range Observers {
		errs = append(errs, local.issueTo(d.Client("observer", name), client(d.id("observer", name))))
	}
	return errors.Join(errs...)
}
