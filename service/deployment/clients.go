package deployment

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"time"

	"github.com/svc-edge/svc-verify/service/httpd"
)

// callTimeout is how long a call to the deployment may take, beside its wait.
const callTimeout = time.Minute

// Customer calls a deployment, as its operators, workloads and observers do.
type Customer struct{ *Layout }

// credentials are what a caller trusts and shows.
func (c Customer) credentials(authority, role, name string) (*x509.CertPool, tls.Certificate, error) {
	a, err := openAuthority(c.path("authorities"), authority)
	if err != nil {
		return nil, tls.Certificate{}, err
	}
	file := c.Client(role, name)
	identity, err := tls.LoadX509KeyPair(file, keyFile(file))
	return a.pool(), identity, err
}

// CallCloud returns a client of the cloud with the certificate of an operator
// or a workload.
func (c Customer) CallCloud(role, name string) (*httpd.Client, error) {
	roots, identity, err := c.credentials(partCloud, role, name)
	if err != nil {
		return nil, err
	}
	return httpd.NewClient(httpd.ClientConfig{URL: "https://" + c.Cloud, Roots: roots, Identity: identity,
		Timeout: callTimeout}), nil
}

// Transport carries the calls of the console to the cloud, with the certificate
// of the operator as whom it acts.
func (c Customer) Transport(operator string) (http.RoundTripper, error) {
	roots, identity, err := c.credentials(partCloud, "operator", operator)
	if err != nil {
		return nil, err
	}
	return &http.Transport{TLSClientConfig: &tls.Config{
		MinVersion: tls.VersionTLS13, RootCAs: roots, Certificates: []tls.Certificate{identity},
	}}, nil
}
