// Command vaultd is a real secrets server, HashiCorp Vault 1.14 made of its
// published modules, with what the tests of the secret-store adapter need of it:
// the KV engine, tokens, and logins by AppRole and certificate.
//
// It is a module of its own, so that the server's dependencies stay out of the
// verifier's. It prints its address when it listens, and begins uninitialised and
// sealed, as the real one does.
package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/hashicorp/go-hclog"
	kv "github.com/hashicorp/vault-plugin-secrets-kv"
	"github.com/hashicorp/vault/audit"
	auditfile "github.com/hashicorp/vault/builtin/audit/file"
	"github.com/hashicorp/vault/builtin/credential/approle"
	"github.com/hashicorp/vault/builtin/credential/cert"
	vaulthttp "github.com/hashicorp/vault/http"
	"github.com/hashicorp/vault/internalshared/configutil"
	"github.com/hashicorp/vault/sdk/logical"
	"github.com/hashicorp/vault/sdk/physical"
	"github.com/hashicorp/vault/sdk/physical/file"
	"github.com/hashicorp/vault/sdk/physical/inmem"
	"github.com/hashicorp/vault/vault"
)

// options are those of the command line.
type options struct {
	listen, certificate, key, clients, directory string
	tls13, untilEOF                              bool
}

func main() {
	var o options
	flag.StringVar(&o.listen, "listen", "127.0.0.1:0", "where to listen, `host:port`")
	flag.StringVar(&o.certificate, "tls-cert", "", "the server's certificate, `PEM`")
	flag.StringVar(&o.key, "tls-key", "", "its private key, `PEM`")
	flag.StringVar(&o.clients, "client-ca", "",
		"the authorities whose certificate each client needs, `PEM`; none needs one without")
	flag.StringVar(&o.directory, "dir", "", "the `directory` to keep everything in; memory without")
	flag.BoolVar(&o.tls13, "tls13", false, "refuse TLS 1.2")
	flag.BoolVar(&o.untilEOF, "until-eof", false,
		"end when the standard input does, so that no server outlives the program that started it")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if o.untilEOF {
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin)
			stop()
		}()
	}
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "vaultd:", err)
		os.Exit(1)
	}
}

// run serves until the context ends.
func run(ctx context.Context, o options) error {
	c, err := o.tls()
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", o.listen)
	if err != nil {
		return err
	}
	address := "https://" + l.Addr().String()
	core, err := newCore(o.directory, address)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	server := &http.Server{
		Handler: vaulthttp.Handler.Handler(&vault.HandlerProperties{
			Core:           core,
			ListenerConfig: &configutil.Listener{Type: "tcp"},
		}),
		TLSConfig:         c,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       30 * time.Second,
		IdleTimeout:       time.Minute,
	}
	ended := make(chan error, 1)
	go func() { ended <- server.ServeTLS(l, "", "") }()
	fmt.Println(address)
	select {
	case err := <-ended:
		return errors.Join(err, core.Shutdown())
	case <-ctx.Done():
	}
	return errors.Join(server.Close(), core.Shutdown())
}

// tls is the configuration of the listener.
func (o options) tls() (*tls.Config, error) {
	identity, err := tls.LoadX509KeyPair(o.certificate, o.key)
	if err != nil {
		return nil, err
	}
	c := &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{identity}}
	if o.tls13 {
		c.MinVersion = tls.VersionTLS13
	}
	if o.clients == "" {
		return c, nil
	}
	b, err := os.ReadFile(o.clients)
	if err != nil {
		return nil, err
	}
	c.ClientCAs, c.ClientAuth = x509.NewCertPool(), tls.RequireAndVerifyClientCert
	if !c.ClientCAs.AppendCertsFromPEM(b) {
		return nil, fmt.Errorf("%s: expected certificates in PEM", o.clients)
	}
	return c, nil
}

// newCore makes the server itself, with its storage in a directory, or in memory
// without one.
func newCore(directory, address string) (*vault.Core, error) {
	log := hclog.New(&hclog.LoggerOptions{Level: hclog.Warn, Output: os.Stderr})
	var storage physical.Backend
	var err error
	if directory == "" {
		storage, err = inmem.NewInmem(nil, log)
	} else {
		storage, err = file.NewFileBackend(map[string]string{"path": directory}, log)
	}
	if err != nil {
		return nil, err
	}
	return vault.NewCore(&vault.CoreConfig{
		Physical:           storage,
		DisableMlock:       true, // nothing here is worth keeping out of swap
		RedirectAddr:       address,
		LogicalBackends:    map[string]logical.Factory{"kv": kv.Factory},
		CredentialBackends: map[string]logical.Factory{"cert": cert.Factory, "approle": approle.Factory},
		AuditBackends:      map[string]audit.Factory{"file": auditfile.Factory},
		BuiltinRegistry:    registry{},
		Logger:             log,
	})
}
