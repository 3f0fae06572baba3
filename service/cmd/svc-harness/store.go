package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"os"
	"strings"

	"github.com/svc-edge/svc-verify/internal/access"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/service/httpd"
	"github.com/svc-edge/svc-verify/service/kv"
)

// maxToken bounds a token, in bytes.
const maxToken = 8192

func storeCommand() *cliapp.Command {
	return &cliapp.Command{
		Name:    "store",
		Summary: "The embedded secrets engine, for demos",
		Commands: []*cliapp.Command{{
			Name:    "run",
			Summary: "Run a KV version 2 secrets engine",
			Description: "Answers over TLS 1.2 or later as a secrets engine of the kind KV version 2. Secrets are stored in the file, which is private and not encrypted; an engine that is started again with it continues.\n\n" +
				"A token is the content of a file that group and others must not be able to read. An adapter's may write below the base path and never delete, a consumer's may read the pointer and the generations, an administrator's may do everything.",
			Flags: []cliapp.Flag{
				required("listen", "ADDR", "Where to listen, host:port"),
				required("file", "FILE", "The file to keep secrets in"),
				required("tls-cert", "PEM", "The server's certificate"),
				required("tls-key", "PEM", "Its private key"),
				{Name: "mount", Value: "PATH", Default: "kv", Usage: "Where the engine is mounted"},
				required("base", "PATH", "The base path of adapters and consumers below it"),
				{Name: "adapter-token", Kind: cliapp.List, Value: "FILE",
					Usage: "The token of an adapter; may be given again"},
				{Name: "consumer-token", Kind: cliapp.List, Value: "FILE",
					Usage: "The token of a consumer; may be given again"},
				{Name: "administrator-token", Kind: cliapp.List, Value: "FILE",
					Usage: "The token of an administrator; may be given again"},
			},
			Examples: []string{"svc-harness store run --listen 127.0.0.1:8200 --file store.json \\\n  --tls-cert server.pem --tls-key server.key --base svc/mesh-oslo-1 \\\n  --adapter-token adapter.token --consumer-token consumer.token"},
			Action:   untilStopped(runStore),
		}},
	}
}

func runStore(ctx context.Context, c *cliapp.Context) (int, error) {
	identity, err := tls.LoadX509KeyPair(c.Text("tls-cert"), c.Text("tls-key"))
	if err != nil {
		return 0, err
	}
	engine, err := openStore(c)
	if err != nil {
		return 0, err
	}
	listener, err := net.Listen("tcp", c.Text("listen"))
	if err != nil {
		return 0, err
	}
	fmt.Fprintf(c.Stderr, "svc-harness: the store answers at https://%s\n", listener.Addr())
	return 0, httpd.Serve(ctx, listener, &tls.Config{MinVersion: tls.VersionTLS12,
		Certificates: []tls.Certificate{identity}}, engine)
}

// openStore opens the engine and binds the tokens. One that has two roles would
// lose the first, and is refused.
func openStore(c *cliapp.Context) (*kv.Engine, error) {
	mount, base := c.Text("mount"), c.Text("base")
	if strings.ContainsAny(mount+base, "+*") {
		return nil, cliapp.Usagef("--mount and --base: expected paths without the wildcards + and *")
	}
	if err := access.Writable(c.Text("file")); err != nil {
		return nil, err
	}
	engine, err := kv.Open(kv.Config{File: c.Text("file"), Mounts: []string{mount},
		Log: jsonLog(c)})
	if err != nil {
		return nil, err
	}
	seen := map[string]string{}
	for _, role := range []struct {
		flag  string
		rules []kv.Rule
	}{
		{"adapter-token", kv.AdapterRules(mount, base)},
		{"consumer-token", kv.ConsumerRules(mount, base)},
		{"administrator-token", kv.AdministratorRules()},
	} {
		for _, file := range c.List(role.flag) {
			token, err := readToken(file)
			if err != nil {
				return nil, err
			}
			if other := seen[token]; other != "" {
				return nil, fmt.Errorf("%s: the same token as in %s", safetext.Quote(file), safetext.Quote(other))
			}
			seen[token] = file
			if err := engine.Allow(token, role.rules...); err != nil {
				return nil, err
			}
		}
	}
	return engine, nil
}

// readToken reads a private file with a token, without the newline at its end.
func readToken(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() || info.Mode().Perm()&0o077 != 0 {
		return "", fmt.Errorf("%s: expected a regular file that is its owner's alone", safetext.Quote(file))
	}
	b, err := io.ReadAll(io.LimitReader(f, maxToken+2))
	if err != nil {
		return "", err
	}
	token := bytes.TrimSuffix(b, []byte("\n"))
	if len(token) == 0 || len(token) > maxToken || bytes.ContainsFunc(token,
		func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return "", fmt.Errorf("%s: expected a token of printable ASCII characters, at most %d bytes",
			safetext.Quote(file), maxToken)
	}
	return string(token), nil
}
