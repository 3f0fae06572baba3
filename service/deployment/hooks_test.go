package deployment

import "github.com/svc-edge/svc-verify/service/httpd"

// CallNode returns a client of a node's local API with the certificate of an
// observer.
func (d *Deployment) CallNode(id, observer string) (*httpd.Client, error) {
	roots, identity, err := d.credentials("local", "observer", observer)
	return httpd.NewClient(httpd.ClientConfig{URL: "https://" + d.At[id], Roots: roots, Identity: identity,
		Timeout: callTimeout}), err
}

// TenantLog is the file of the tenant log.
func (d *Deployment) TenantLog() string { return d.path("cloud", "state", "tenant.ndjson") }

// Err is how the process ended, nil for exit code 0.
func (p *Process) Err() error { return p.err }
