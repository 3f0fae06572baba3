package deployment

import "github.com/svc-edge/svc-verify/service/httpd"

// CallNode returns a client of a node's local API with the certificate of an
// observer.
func (d *Deployment) CallNode(id, observer string) (*httpd.Client, error) {
	return d.call("local", "https://"+d.APIs[id], "observer", observer)
}

// TenantLog is the file of the tenant log.
func (d *Deployment) TenantLog() string { return d.path("cloud", "state", "tenant.ndjson") }

// Err is how the process ended, nil for exit code 0.
func (p *Process) Err() error { return p.err }
