package deployment

import (
	"crypto/tls"
	"net/http"
	"time"

	"github.com/svc-edge/svc-verify/service/httpd"
)

// callTimeout is how long a call to the deployment may take, beside its wait.
const callTimeout = time.Minute

// Customer calls a deployment, as its operators, workloads and observers do.
type Customer struct{ *Layout }

// identity is the certificate of a caller of the cloud or of a node.
func (c Customer) identity(role, name string) (tls.Certificate, error) {
	file := c.Client(role, name)
	return tls.LoadX509KeyPair(file, keyFile(file))
}

// CallCloud returns a client of the cloud with the certificate of an operator
// or a workload.
func (c Customer) CallCloud(role, name string) (*httpd.Client, error) {
	return c.call("cloud", "https://"+c.Cloud, role, name)
}

func (c Customer) call(authority, url, role, name string) (*httpd.Client, error) {
	a, err := openAuthority(c.path("authorities"), authority)
	if err != nil {
		return nil, err
	}
	identity, err := c.identity(role, name)
	if err != nil {
		return nil, err
	}
	return httpd.NewClient(httpd.ClientConfig{URL: url, Roots: a.pool(), Identity: identity, Timeout: callTimeout}), nil
}

// Transport carries the calls of the console to the cloud, with the certificate
// of the operator as whom it acts.
func (c Customer) Transport(operator string) (http.RoundTripper, error) {
	a, err := openAuthority(c.path("authorities"), "cloud")
	if err != nil {
		return nil, err
	}
	identity, err := c.identity("operator", operator)
	if err != nil {
		return nil, err
	}
	return &http.Transport{TLSClientConfig: &tls.Config{
		MinVersion: tls.VersionTLS13, RootCAs: a.pool(), Certificates: []tls.Certificate{identity},
	}}, nil
}
