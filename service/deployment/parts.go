package deployment

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/svc-edge/svc-verify/service/collector"
	"github.com/svc-edge/svc-verify/service/console"
	"github.com/svc-edge/svc-verify/service/httpd"
	"github.com/svc-edge/svc-verify/service/kv"
	"github.com/svc-edge/svc-verify/service/nodeconfig"
	"github.com/svc-edge/svc-verify/service/secretstore"
	"github.com/svc-edge/svc-verify/service/server"
	"github.com/svc-edge/svc-verify/service/workload"
)

const (
	partCollector = "collector"
	partCloud     = "cloud"
	partStore     = "store"
	partWorkload  = "workload"
)

const (
	nodePoll     = 2 * time.Second // of the cloud by the nodes
	storeTimeout = 5 * time.Second // of a request to the secret store
)

// RunPart runs a part of the deployment until the context ends: the collector, the cloud,
// the secret store or its workload. A node runs by its configuration.
func (d *Deployment) RunPart(ctx context.Context, name string, log *slog.Logger) error {
	run := map[string]func(context.Context, *slog.Logger) error{
		partCollector: d.runCollector, partCloud: d.runCloud, partStore: d.runStore, partWorkload: d.runWorkload,
	}[name]
	if run == nil || d.At[name] == "" {
		return fmt.Errorf("this deployment has no part %.64q; its parts are %s", name,
			strings.Join(d.Parts()[:len(d.Parts())-len(d.Nodes)], ", "))
	}
	return run(ctx, log)
}

// serverIdentity returns the certificate of a server, and the authority of its callers.
func (d *Deployment) serverIdentity(part string) (tls.Certificate, *authority, error) {
	a, err := openAuthority(d.path("authorities"), part)
	if err != nil {
		return tls.Certificate{}, nil, err
	}
	identity, err := tls.LoadX509KeyPair(d.path(part, "server.pem"), d.path(part, "server.key"))
	return identity, a, err
}

func (d *Deployment) runCloud(ctx context.Context, log *slog.Logger) error {
	identity, callers, err := d.serverIdentity(partCloud)
	if err != nil {
		return err
	}
	cloud, err := server.New(server.Config{
		TenantID: d.TenantID, Dir: d.path(partCloud, "state"), RequiredWitnesses: d.Witnesses(), Poll: nodePoll, Log: log,
	})
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", d.At[partCloud])
	if err != nil {
		return errors.Join(err, cloud.Close())
	}
	return errors.Join(cloud.Serve(ctx, l, server.TLS(identity, callers.pool())), cloud.Close())
}

func (d *Deployment) runCollector(ctx context.Context, log *slog.Logger) error {
	identity, clients, err := d.serverIdentity(partCollector)
	if err != nil {
		return err
	}
	c, err := collector.Start(ctx, collector.Config{
		Address: d.At[partCollector], Identity: identity, Clients: clients.pool(),
		File: d.path(partCollector, "dumps", "logs.jsonl"), ModeFile: d.ModeFile(), Log: log,
	})
	if err != nil {
		return err
	}
	<-ctx.Done()
	return c.Close()
}

func (d *Deployment) runStore(ctx context.Context, log *slog.Logger) error {
	identity, _, err := d.serverIdentity(partStore)
	if err != nil {
		return err
	}
	engine, err := kv.Open(kv.Config{File: d.StoreFile(), Mount: StoreMount, Log: log})
	if err != nil {
		return err
	}
	for file, rules := range map[string][]kv.Rule{
		d.AdapterToken():  kv.AdapterRules(StoreMount, StoreBase),
		d.ConsumerToken(): kv.ConsumerRules(StoreMount, StoreBase),
	} {
		token, err := (&nodeconfig.SecretStore{TokenFile: nodeconfig.File{Path: file}}).Token()
		if err == nil {
			err = engine.Allow(token, rules...)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	l, err := net.Listen("tcp", d.At[partStore])
	if err != nil {
		return err
	}
	c := &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{identity}}
	return httpd.Serve(ctx, l, c, engine)
}

func (d *Deployment) runWorkload(ctx context.Context, log *slog.Logger) error {
	a, err := openAuthority(d.path("authorities"), partStore)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", d.At[partWorkload])
	if err != nil {
		return err
	}
	return workload.Serve(ctx, l, workload.Config{
		Store: secretstore.NewClient(&nodeconfig.SecretStore{
			Address: "https://" + d.At[partStore], Mount: StoreMount, BasePath: StoreBase, RequestTimeout: storeTimeout,
			TokenFile:   nodeconfig.File{Path: d.ConsumerToken()},
			Authorities: nodeconfig.Authorities{Certificates: []*x509.Certificate{a.certificate}},
		}),
		ModeFile: d.workloadMode(), Log: log,
	})
}

// Dumps is the directory of the collector's files.
func (l *Layout) Dumps() string { return l.path("collector", "dumps") }

// Journal is the file of a node's journal.
func (l *Layout) Journal(id string) string {
	return filepath.Join(l.Node(id), "state", "journal.ndjson")
}

// EdgeCommand is a command line of svc-edge that asks a node, without the
// command itself, over several lines.
func (l *Layout) EdgeCommand(id string) string {
	observer := l.Client("observer", "soc")
	return strings.Join([]string{
		"svc-edge -url https://" + l.At[id], "-tenant " + l.TenantID,
		"-ca " + l.path("authorities", "local.pem"), "-cert " + observer, "-key " + keyFile(observer),
		"-node-spki " + filepath.Join(l.Node(id), "public.pem"),
	}, " \\\n  ")
}

// NewConsole is the console of an operator. Used is called with the next link to
// it when one was used.
func (d *Deployment) NewConsole(operator string, used func(link string)) (*console.Console, error) {
	transport, err := d.Transport(operator)
	if err != nil {
		return nil, err
	}
	cloud := &url.URL{Scheme: "https", Host: d.At[partCloud]}
	told := func(link string) { used(d.consoleLink(link)) }
	return console.New(console.Config{Cloud: cloud, Transport: transport, Used: told}), nil
}

// ConsoleLink is a link that opens a console once.
func (d *Deployment) ConsoleLink(c *console.Console) string { return d.consoleLink(c.Link()) }

func (l *Layout) consoleLink(path string) string { return "http://" + l.At[partConsole] + path }

// ServeConsole serves a console until the context ends.
func (d *Deployment) ServeConsole(ctx context.Context, c *console.Console) error {
	l, err := net.Listen("tcp", d.At[partConsole])
	if err != nil {
		return err
	}
	return httpd.Serve(ctx, l, nil, c)
}
