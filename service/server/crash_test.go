package server_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/testca"
	"github.com/svc-edge/svc-verify/service/httpd"
	"github.com/svc-edge/svc-verify/service/server"
)

// The test binary is its own cloud: with this in its environment it runs one in
// a directory until it is killed.
const cloudIn = "SVC_TEST_CLOUD_IN"

func TestMain(m *testing.M) {
	if dir := os.Getenv(cloudIn); dir != "" {
		fmt.Fprintln(os.Stderr, runCloud(dir, os.Getenv(cloudIn+"_AT")))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func runCloud(dir, address string) error {
	identity, err := tls.LoadX509KeyPair(filepath.Join(dir, "server.pem"), filepath.Join(dir, "server.key"))
	if err != nil {
		return err
	}
	ca, err := os.ReadFile(filepath.Join(dir, "ca.pem"))
	if err != nil {
		return err
	}
	callers := x509.NewCertPool()
	callers.AppendCertsFromPEM(ca)
	cloud, err := server.New(server.Config{
		TenantID: tenant, Dir: filepath.Join(dir, "state"), RequiredWitnesses: 2, Poll: 2 * time.Second,
		Quiet: 100 * time.Millisecond,
		Log:   slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", address)
	for err != nil { // another process has the port for a while; a caller that waits for this cloud gives up
		time.Sleep(10 * time.Millisecond)
		l, err = net.Listen("tcp", address)
	}
	return cloud.Serve(context.Background(), l, server.TLS(identity, callers))
}

// child is a bench whose cloud is a process.
type child struct {
	*bench
	dir     string
	process *exec.Cmd
}

func spawn(t *testing.T) *child {
	t.Helper()
	c := &child{bench: &bench{t: t, ca: testca.New("cloud CA"), clock: &shifted{clock: wall}}, dir: t.TempDir()}
	c.config.Dir = filepath.Join(c.dir, "state")
	l := must.Get(httpd.Listen())(t)
	c.url = "https://" + l.Addr().String()
	must.Do(t, errors.Join(l.Close(), os.Mkdir(c.config.Dir, 0o700)))
	c.ca.Files(c.dir)
	c.begin()
	t.Cleanup(c.kill)
	return c
}

// begin starts the process and waits until it answers.
func (c *child) begin() {
	c.t.Helper()
	c.process = exec.Command(os.Args[0])
	c.process.Env = append(os.Environ(), cloudIn+"="+c.dir, cloudIn+"_AT="+c.url[len("https://"):])
	c.process.Stderr = os.Stderr
	must.Do(c.t, c.process.Start())
	must.Eventually(c.t, "the cloud answers", func() bool {
		_, err := c.try(operator, http.MethodGet, "/api/v1/overview", nil)
		return err == nil
	})
}

// kill ends the process by force.
func (c *child) kill() {
	_ = c.process.Process.Kill()
	_ = c.process.Wait() // it was killed
	c.hangUp()
}

func (c *child) crash() {
	c.t.Helper()
	c.kill()
	c.begin()
}

// Between any two steps the cloud is killed: everything that it has answered remains true.
func TestKilledBetweenSteps(t *testing.T) {
	t.Parallel()
	c := spawn(t)
	var nodes []*mesh
	for _, id := range nodeIDs {
		nodes = append(nodes, newMesh(c.bench, id).enrol())
		c.crash()
	}
	c.publish(1)
	c.crash()
	for _, m := range nodes {
		m.up()
	}
	must.Eventually(c.t, "the nodes are back", func() bool { return c.states("ok") == 3 })
	c.request("tx-1", "edge-gateway")
	c.crash()
	check.That(t, seal.Text(c.becomes("tx-1", "issued"), "certificate_serial") != "", "no serial")
	serial := c.status("tx-1", "0")["certificate_serial"]
	c.crash()
	got := c.status("tx-1", "0")["certificate_serial"]
	check.That(t, got == serial, "the certificate is %v, after %v", got, serial)
	c.verified("tx-1", "issued", nodes)
	c.as(operator, "POST", "/api/v1/transactions/tx-1/revocation", seal.Object{"reason": "keyCompromise"})
	c.crash()
	leaf, issuer := c.certificates("tx-1")
	list := c.crl(issuer)
	check.That(t, len(list.RevokedCertificateEntries) == 1 &&
		list.RevokedCertificateEntries[0].SerialNumber.Cmp(leaf.SerialNumber) == 0, "the revocation was forgotten")
	c.as(operator, "POST", "/api/v1/signer/rotation", seal.Object{})
	c.crash()
	c.as(operator, "PUT", "/api/v1/integrations/web", desired("nginx", nodes[0].id))
	c.crash()
	c.shows("web", "healthy", "")
	id := c.rotates("nginx", "manual")
	c.crash()
	c.rotation(id, "staged")
	c.crash()
	c.as(operator, "POST", "/api/v1/transactions/"+id+"/promotion", seal.Object{})
	c.crash()
	c.rotation(id, "promoted")
	c.verified(id, "issued", nodes)
	c.as(operator, "PUT", "/api/v1/services/billing",
		seal.Object{"workload_profile": "payments-api", "node_id": nodes[0].id})
	c.as(operator, "POST", pauses, seal.Object{"reason": "test"})
	c.crash()
	c.refused("issuance_paused", operator, "POST", "/api/v1/transactions", order(t, "tx-2", "payments-api"))
	approval := c.asksResume(600)
	c.crash()
	c.as(other, "POST", approval, seal.Object{})
	c.crash()
	c.request("tx-2", "payments-api")
	c.becomes("tx-2", "issued")
	check.Equal(t, c.count("issuance.completed"), 3, "issuances")
	c.verified("tx-1", "revoked", nodes)
	c.verified("tx-2", "issued", nodes)
	must.Eventually(c.t, "all notices arrive", func() bool {
		return has(nodes[0].topics(), "policy.version.available", "trust_bundle.updated", "service.claimed",
			"incident.issuance_paused")
	})
}
