package main

import (
	"fmt"
	"io"

	"github.com/svc-edge/svc-verify/batch/text"
	"github.com/svc-edge/svc-verify/contradiction"
	"github.com/svc-edge/svc-verify/internal/access"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/verify"
)

func verifyContradiction(c *cliapp.Context) (int, error) {
	before := legacyBefore(c)
	root, err := readTrust(c, c.Text("trust"))
	if err != nil {
		return 0, err
	}
	doc, err := readContradiction(c, c.Args[0])
	if err != nil {
		return 0, err
	}
	r := contradiction.Verify(doc, root, verify.Policy{LegacyBefore: before})
	file := safetext.Quote(c.Args[0])
	for _, f := range r.Findings {
		fmt.Fprintf(c.Stderr, "svc-verify: %s: %s#%s: %s (%s)\n", r.Verdict, file, f.Path, f.Sentence(), f.Code)
	}
	if c.Text("output") == "json" {
		return exitCode(r.Verdict), writeJSON(c.Stdout, r)
	}
	return exitCode(r.Verdict), writePage(c, text.ContradictionPage(r, file, safetext.Quote(c.Text("trust"))))
}

// readContradiction reads a contradiction file once, as [readBundle] reads a
// bundle.
func readContradiction(c *cliapp.Context, name string) ([]byte, error) {
	if name != stdinName {
		return readFile(name, contradiction.MaxFile)
	}
	doc, err := io.ReadAll(io.LimitReader(c.Stdin, contradiction.MaxFile+1))
	if err != nil {
		return nil, fmt.Errorf("reading standard input: %w", access.WithoutPath(err))
	}
	return doc, nil
}
