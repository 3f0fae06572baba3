package deployment

import (
	"context"
	"net"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/svc-edge/svc-verify/service/console"
	"github.com/svc-edge/svc-verify/service/httpd"
)

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
		"svc-edge -url https://" + l.APIs[id], "-tenant " + l.TenantID,
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
	cloud := &url.URL{Scheme: "https", Host: d.Cloud}
	told := func(link string) { used(d.consoleLink(link)) }
	return console.New(console.Config{Cloud: cloud, Transport: transport, Used: told}), nil
}

// ConsoleLink is a link that opens a console once.
func (d *Deployment) ConsoleLink(c *console.Console) string { return d.consoleLink(c.Link()) }

func (l *Layout) consoleLink(path string) string { return "http://" + l.Console + path }

// ServeConsole serves a console until the context ends.
func (d *Deployment) ServeConsole(ctx context.Context, c *console.Console) error {
	l, err := net.Listen("tcp", d.Console)
	if err != nil {
		return err
	}
	return httpd.Serve(ctx, l, nil, c)
}
