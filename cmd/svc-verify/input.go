package main

import (
	"cmp"
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/svc-edge/svc-verify/bundle/certificate"
	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/internal/access"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/internal/listing"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/trust"
)

// stdinName is the name of standard input where a bundle is named.
const stdinName = "-"

// readFault returns which file an error is about, whose name is quoted.
func readFault(name string, err error) error {
	return fmt.Errorf("reading %s: %w", safetext.Quote(name), access.WithoutPath(err))
}

// readEvidence reads a bundle or a contradiction once, from a regular file or standard input.
// It reads one byte more than allowed: a longer file is a finding about the evidence, which
// its reader reports.
func (c *invocation) readEvidence(name string, most int64) []byte {
	if name == stdinName {
		doc, err := io.ReadAll(io.LimitReader(c.Stdin, most+1))
		stopIf(err != nil, "reading standard input: %w", access.WithoutPath(err))
		return doc
	}
	doc, err := readFile(name, most)
	if irregular := new(access.IrregularError); errors.As(err, &irregular) && irregular.IsPipe() {
		err = fmt.Errorf("reading %s: expected a regular file, found a pipe; a bundle can come through standard input, "+
			"as -", safetext.Quote(name))
	}
	return mustHave(doc, err)
}

// requirePaths wants all paths that were named to be there, so that a slip of the pen is not
// taken for evidence that is gone. Files that exist and cannot be read are for the reader to
// report.
func (c *invocation) requirePaths(names []string) {
	for _, name := range names {
		if name == stdinName {
			continue
		}
		if _, err := os.Lstat(name); err != nil && !errors.Is(err, os.ErrPermission) {
			stopOn(fmt.Errorf("reading %s: %w; nothing was read: correct the path", safetext.Quote(name),
				access.WithoutPath(err)))
		}
	}
}

// pathsOf returns arguments, and after them the paths in the lists of --from-file. A path of a
// list may be absent: it is listed as not read.
func (c *invocation) pathsOf(args []string) []string {
	paths, lists := slices.Clone(args), c.List("from-file")
	named := func(name string) bool { return name == stdinName }
	i := slices.IndexFunc(lists, named)
	refuseIf(i >= 0 && (slices.Contains(args, stdinName) || slices.ContainsFunc(lists[i+1:], named)),
		"standard input can be named only once")
	ctx := c.ctx
	if ctx == nil { // an interrupt ends the program
		ctx = context.Background()
	}
	for _, list := range lists {
		stopOn(listing.ReadList(ctx, list, c.Stdin, func(name string) error {
			paths = append(paths, name)
			return nil
		}))
	}
	return paths
}

// patternsOf returns the patterns of --only.
func (c *invocation) patternsOf() listing.Patterns {
	only, err := listing.ParsePatterns(c.List("only"))
	refuseIf(err != nil, "%s", err)
	return only
}

// requireNamed is requirePaths for the arguments and for all flags that name files which a command
// on a seal reads. It may not come to read some of them.
func (c *invocation) requireNamed() {
	names := slices.Clone(c.Args)
	for _, flag := range []string{"seal-trust", "key", "trust", "ledger", "leaves", "previous", "token", "certificates",
		"revocation", "algorithms"} {
		names = append(names, c.Texts(flag)...)
	}
	c.requirePaths(names)
}

// readFile reads a regular file, and not more than one byte more than it may have.
func (c *invocation) readFile(name string, limit int64) []byte {
	return mustHave(readFile(name, limit))
}

func readFile(name string, limit int64) ([]byte, error) {
	f, err := openFile(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	doc, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, readFault(name, err)
	}
	return doc, nil
}

// openFile opens a regular file. A directory has no bytes, and a pipe or device may
// never end; neither is opened.
func openFile(name string) (*os.File, error) {
	f, err := access.OpenRegular(name)
	if err != nil {
		return nil, readFault(name, err)
	}
	return f, nil
}

// trustPath returns the path of the trust file: of --trust or, without it, of the user's last walk of
// the case; "" if there is none.
func (c *invocation) trustPath() string { return cmp.Or(c.Text("trust"), c.lastTrust.Path) }

// trustFile reads the trust file: of --trust or, without it, of the user's last walk of the case, if it
// is unchanged.
func (c *invocation) trustFile() *trust.Root {
	if c.Given("trust") {
		return c.readTrust(c.Text("trust"))
	}
	c.lastTrust = c.rememberedTrust()
	root := c.readTrust(c.lastTrust.Path)
	stopIf(chain.Hash(root.SHA256()) != c.lastTrust.SHA256,
		"the trust file %s is not as it was in your last walk, sha256 %s: to use it all the same, give --trust",
		safetext.Quote(c.lastTrust.Path), c.lastTrust.SHA256)
	c.sayLine("trust file %s, sha256 %s, as in your last walk", safetext.Quote(c.lastTrust.Path), c.lastTrust.SHA256)
	return root
}

// rememberedTrust returns which trust file this user's key used last in the case.
func (c *invocation) rememberedTrust() (file store.TrustFile) {
	in := c.readCase()
	file, err := in.Kept().TrustFile()
	stopOn(errors.Join(err, in.Close()))
	refuseIf(file.Path == "", "missing flag: --trust: this case remembers no trust file of yours")
	return file
}

// readTrust reads a trust file.
func (c *invocation) readTrust(name string) *trust.Root { return c.readTrustBy(name, trust.Parse) }

// readTrustBy reads a trust file with a parser.
func (c *invocation) readTrustBy(name string, parse func([]byte) (*trust.Root, error)) *trust.Root {
	refuseIf(name == stdinName, "the trust file must be a file; only a bundle can come through standard input")
	return tryParse[trust.Faults](c, "trust file", name, form.MaxTrust, parse)
}

// tryParse reads a file of a kind. Each of its faults is written to standard error with its
// place.
func tryParse[F interface {
	~[]ijson.Fault
	error
}, T any](c *invocation, kind, name string, limit int64, parse func([]byte) (T, error)) T {
	v, err := parse(c.readFile(name, limit))
	stopOn(faultsError[F](c, fmt.Sprintf("the %s %s cannot be used", kind, safetext.Quote(name)), name, err))
	return v
}

// faultsError writes the faults that an error has, one a line, and returns an error that counts
// them.
func faultsError[F interface {
	~[]ijson.Fault
	error
}](c *invocation, what, name string, err error) error {
	var faults F
	if !errors.As(err, &faults) {
		return err
	}
	c.sayFaults(name, faults)
	return fmt.Errorf("%s: %s", what, safetext.Count(len(faults), "fault"))
}

// sayFaults writes the faults of a document, one a line.
func (c *invocation) sayFaults(name string, faults []ijson.Fault) {
	for _, f := range faults {
		c.sayLine("%s#%s: expected %s, found %s (%s)", safetext.Quote(name), safetext.Line(f.Path),
			safetext.Line(f.Expected), safetext.Line(f.Found), f.Code)
	}
}

// readCertificate reads the first certificate of a PEM file: the leaf, where the issuer
// follows it. It returns the DER.
func (c *invocation) readCertificate(name string) []byte {
	block, _ := pem.Decode(c.readFile(name, form.MaxBundle))
	stopIf(block == nil, "reading %s: expected a certificate in PEM, found no PEM block", safetext.Quote(name))
	stopIf(block.Type != "CERTIFICATE", "reading %s: expected a PEM block of type CERTIFICATE, found %s",
		safetext.Quote(name), safetext.Quote(block.Type))
	_, err := certificate.Parse(block.Bytes)
	stopIf(err != nil, "reading %s: expected one X.509 certificate: %w", safetext.Quote(name), err)
	return block.Bytes
}
