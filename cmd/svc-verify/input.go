package main

import (
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/svc-edge/svc-verify/bundle/certificate"
	"github.com/svc-edge/svc-verify/internal/access"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/trust"
)

// stdinName stands for standard input where a bundle is named.
const stdinName = "-"

// readBundle reads a bundle once, from a regular file or standard input. It
// reads one byte more than a bundle may have: what is longer is a finding about
// the evidence, which the reader of bundles reports.
func readBundle(c *cliapp.Context, name string) ([]byte, error) {
	if name == stdinName {
		doc, err := io.ReadAll(io.LimitReader(c.Stdin, form.MaxBundle+1))
		if err != nil {
			return nil, fmt.Errorf("reading standard input: %w", access.WithoutPath(err))
		}
		return doc, nil
	}
	doc, err := readFile(name, form.MaxBundle)
	if irregular := new(access.IrregularError); errors.As(err, &irregular) && irregular.IsPipe() {
		err = fmt.Errorf("reading %s: expected a regular file, found a pipe; a bundle can come through standard input, as -",
			safetext.Quote(name))
	}
	return doc, err
}

// requirePaths returns an error if one of the paths that were named is not there, so
// that a slip of the pen is not taken for evidence that is gone. What is there and
// cannot be read is for the reader to report.
func requirePaths(names []string) error {
	for _, name := range names {
		if name == stdinName {
			continue
		}
		if _, err := os.Lstat(name); err != nil && !errors.Is(err, os.ErrPermission) {
			return fmt.Errorf("reading %s: %w; nothing was read: correct the path", safetext.Quote(name),
				access.WithoutPath(err))
		}
	}
	return nil
}

// requireNamed is requirePaths for the arguments and the values of all flags that name
// what a command on a seal reads. It may not come to read some of them.
func requireNamed(c *cliapp.Context) error {
	names := slices.Clone(c.Args)
	for _, flag := range []string{"seal-trust", "key", "trust", "ledger", "leaves", "previous", "token", "certificates",
		"revocation", "algorithms"} {
		names = append(names, c.Texts(flag)...)
	}
	return requirePaths(names)
}

// readFile reads at most limit+1 bytes of a regular file.
func readFile(name string, limit int64) ([]byte, error) {
	f, err := openFile(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	doc, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", safetext.Quote(name), access.WithoutPath(err))
	}
	return doc, nil
}

// openFile opens a regular file. A directory has no bytes, and a pipe or device may
// never end; neither is opened.
func openFile(name string) (*os.File, error) {
	f, err := access.OpenRegular(name)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", safetext.Quote(name), access.WithoutPath(err))
	}
	return f, nil
}

// readTrust reads a trust file. Each of its faults is written to standard error
// with its place.
func readTrust(c *cliapp.Context, name string) (*trust.Root, error) {
	if name == stdinName {
		return nil, cliapp.Usagef("the trust file must be a file; only a bundle can come through standard input")
	}
	doc, err := readFile(name, form.MaxTrust)
	if err != nil {
		return nil, err
	}
	root, err := trust.Parse(doc)
	var faults trust.Faults
	if errors.As(err, &faults) {
		writeFaults(c.Stderr, name, faults)
		return nil, fmt.Errorf("the trust file %s cannot be used: %s", safetext.Quote(name),
			safetext.Count(len(faults), "fault"))
	}
	return root, err
}

// writeFaults writes the faults of a document, one a line.
func writeFaults(w io.Writer, name string, faults []ijson.Fault) {
	for _, f := range faults {
		fmt.Fprintf(w, "svc-verify: %s#%s: expected %s, found %s (%s)\n",
			safetext.Quote(name), safetext.Line(f.Path), safetext.Line(f.Expected), safetext.Line(f.Found), f.Code)
	}
}

// readCertificate reads the first certificate of a PEM file: that of the leaf,
// where the issuer follows it. It returns the DER.
func readCertificate(name string) ([]byte, error) {
	doc, err := readFile(name, form.MaxBundle)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(doc)
	switch {
	case block == nil:
		return nil, fmt.Errorf("reading %s: expected a certificate in PEM, found no PEM block", safetext.Quote(name))
	case block.Type != "CERTIFICATE":
		return nil, fmt.Errorf("reading %s: expected a PEM block of type CERTIFICATE, found %s", safetext.Quote(name),
			safetext.Quote(block.Type))
	}
	if _, err := certificate.Parse(block.Bytes); err != nil {
		return nil, fmt.Errorf("reading %s: expected one X.509 certificate: %w", safetext.Quote(name), err)
	}
	return block.Bytes, nil
}
