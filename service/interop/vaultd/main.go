// Command vaultd is a real secrets server, HashiCorp Vault 1.14 made of its published modules,
// with the parts that the tests of the secret-store adapter need: the KV engine and tokens, in
// memory.
//
// It is a module of its own, so that the server's dependencies stay out of the
// verifier's. It prints its address when it listens, and begins uninitialised and
// sealed, as the real one does.
package main

import (
	"context"
	"crypto/tls"
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
	vaulthttp "github.com/hashicorp/vault/http"
	"github.com/hashicorp/vault/internalshared/configutil"
	"github.com/hashicorp/vault/sdk/helper/consts"
	"github.com/hashicorp/vault/sdk/logical"
	"github.com/hashicorp/vault/sdk/physical/inmem"
	"github.com/hashicorp/vault/vault"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:0", "where to listen, `host:port`")
	certificate := flag.String("tls-cert", "", "the server's certificate, `PEM`")
	key := flag.String("tls-key", "", "its private key, `PEM`")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	go func() { // so that no server outlives the program that started it
		_, _ = io.Copy(io.Discard, os.Stdin)
		stop()
	}()
	if err := run(ctx, *listen, *certificate, *key); err != nil {
		fmt.Fprintln(os.Stderr, "vaultd:", err)
		os.Exit(1)
	}
}

// run serves until the context ends.
func run(ctx context.Context, listen, certificate, key string) error {
	identity, err := tls.LoadX509KeyPair(certificate, key)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", listen)
	if err != nil {
		return err
	}
	address := "https://" + l.Addr().String()
	core, err := newCore(address)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	server := &http.Server{
		Handler: vaulthttp.Handler.Handler(&vault.HandlerProperties{
			Core:           core,
			ListenerConfig: &configutil.Listener{Type: "tcp"},
		}),
		TLSConfig:         &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{identity}},
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

// newCore makes the server's core.
func newCore(address string) (*vault.Core, error) {
	log := hclog.New(&hclog.LoggerOptions{Level: hclog.Warn, Output: os.Stderr})
	storage, err := inmem.NewInmem(nil, log)
	if err != nil {
		return nil, err
	}
	return vault.NewCore(&vault.CoreConfig{
		Physical:        storage,
		DisableMlock:    true, // nothing here is worth keeping out of swap
		RedirectAddr:    address,
		LogicalBackends: map[string]logical.Factory{"kv": kv.Factory},
		BuiltinRegistry: registry{},
		Logger:          log,
	})
}

// registry gives the server the plugins that are part of the program: the KV engine.
type registry struct{}

// Get returns the plugin of a name.
func (r registry) Get(name string, kind consts.PluginType) (func() (any, error), bool) {
	return func() (any, error) { return logical.Factory(kv.Factory), nil }, r.Contains(name, kind)
}

// Contains reports whether there is a plugin of a name.
func (registry) Contains(name string, kind consts.PluginType) bool {
	return name == "kv" && kind == consts.PluginTypeSecrets
}

// Keys returns the names of all plugins of a kind.
func (r registry) Keys(kind consts.PluginType) []string {
	if r.Contains("kv", kind) {
		return []string{"kv"}
	}
	return nil
}

// IsBuiltinEntPlugin reports whether a plugin is of the Enterprise version.
func (registry) IsBuiltinEntPlugin(string, consts.PluginType) bool { return false }

// DeprecationStatus reports that no plugin is deprecated.
func (r registry) DeprecationStatus(name string, kind consts.PluginType) (consts.DeprecationStatus, bool) {
	return consts.Supported, r.Contains(name, kind)
}
