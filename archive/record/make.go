package record

import (
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/svc-edge/svc-verify/archive/timestamp"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/access"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/outcome"
)

// ErrPending reports a chain whose last request was not answered.
var ErrPending = errors.New("a request waits for its token already")

// Prepare returns the next step of a chain, which waits for its token: what the token
// is to cover, with the revocation data about the token before, and the request. The
// caller judged the chain: the report must be verified. Tree is that of the report, or
// one over the same data under another hash.
func Prepare(s Sealed, c *Chain, tree Tree, revocation []timestamp.Evidence) (Step, error) {
	if c.Pending != nil {
		return Step{}, ErrPending
	}
	if len(c.Steps) == MaxSteps {
		return Step{}, fmt.Errorf("the chain has %d steps already", MaxSteps)
	}
	if len(revocation) > maxRevocation {
		return Step{}, fmt.Errorf("%d files of revocation data, more than %d", len(revocation), maxRevocation)
	}
	step := Step{Files: map[string][]byte{}}
	for i, e := range revocation {
		kind := "ocsp"
		if e.IsCRL() {
			kind = "crl"
		}
		step.Files[fmt.Sprintf("revocation-%d.%s", i+1, kind)] = e.DER
	}
	files := []*file{{name: sealName, doc: s.File}}
	for i := range c.Steps {
		files = append(files, c.Steps[i].below(stepName(i+1), "")...)
	}
	number := len(c.Steps) + 1
	doc, err := covers(number, tree, append(files, step.below(stepName(number), "revocation-")...))
	if err != nil {
		return Step{}, err
	}
	step.Files[coversName] = doc
	step.Files[requestName] = timestamp.NewRequest(tree.Hash, tree.Hash.Sum(doc)).Marshal()
	return step, nil
}

// Request returns the request of a step.
func (s *Step) Request() []byte { return s.Files[requestName] }

// Take returns the chain with the answer of an authority to the request that waits,
// and its report. It is taken in if Taken says so; the step itself is the last of the
// chain.
func Take(s Sealed, c *Chain, answer []byte, further []*x509.Certificate, o Options) (*Chain, *Report, error) {
	if c.Pending == nil {
		return nil, nil, errors.New("no request waits for a token: svc-verify archive seal --request writes one")
	}
	step := Step{Files: map[string][]byte{}}
	maps.Copy(step.Files, c.Pending.Files)
	step.Files[tokenName] = answer
	if token, fault := timestamp.Parse(answer); fault == nil {
		step.Files[tokenName] = token.DER // without the response around it
	}
	for i, one := range further {
		step.Files[fmt.Sprintf("certificate-%d.cer", i+1)] = one.Raw
	}
	next := &Chain{Steps: append(slices.Clip(c.Steps), step)}
	return next, Verify(s, next, o), nil
}

// Taken reports whether the last step of a chain may be added: nothing is wrong with
// the chain, and nothing is open but whether the certificates of the last token itself
// are revoked by now.
func Taken(r *Report) bool {
	if r.Verdict == outcome.Rejected {
		return false
	}
	return !slices.ContainsFunc(r.Findings, func(f finding.InDocument) bool {
		return f.Step != len(r.Steps) || f.Code != timestamp.TokenUnchecked
	})
}

// WritePending writes a step that waits for its token into the folder of a chain.
func WritePending(dir string, step Step) error {
	return writeStep(dir, pendingName, step)
}

// WriteLast writes the last step of a chain into its folder, in the place of the one
// that waited.
func WriteLast(dir string, c *Chain) error {
	if err := writeStep(dir, stepName(len(c.Steps)), c.Steps[len(c.Steps)-1]); err != nil {
		return err
	}
	return os.RemoveAll(filepath.Join(dir, pendingName))
}

// writeStep makes the folder of a step, which is seen only when it is whole. A folder
// that is there is never replaced.
func writeStep(dir, name string, step Step) (err error) {
	err = os.Mkdir(dir, 0o755) // #nosec G301 -- as others, it is no secret
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("making %s: %w", safetext.Quote(dir), access.WithoutPath(err))
	}
	if _, err := os.Lstat(filepath.Join(dir, name)); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("making %s: it is there already", safetext.Quote(filepath.Join(dir, name)))
	}
	beside, err := os.MkdirTemp(filepath.Dir(dir), filepath.Base(dir)+".new-*")
	if err != nil {
		return fmt.Errorf("making a folder beside %s: %w", safetext.Quote(dir), access.WithoutPath(err))
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(beside))
		}
	}()
	for _, f := range step.some("") {
		if err := writeFile(filepath.Join(beside, f.name), f.doc); err != nil {
			return fmt.Errorf("writing %s: %w", safetext.Quote(f.name), access.WithoutPath(err))
		}
	}
	if err := os.Chmod(beside, 0o755); err != nil { // #nosec G302 -- as the folder around it
		return access.WithoutPath(err)
	}
	if err := os.Rename(beside, filepath.Join(dir, name)); err != nil {
		return fmt.Errorf("making %s: %w", safetext.Quote(name), err)
	}
	return errors.Join(access.SyncFolder(filepath.Join(dir, name)), access.SyncFolder(dir),
		access.SyncFolder(filepath.Dir(dir)))
}

func writeFile(name string, doc []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644) // #nosec G302 G304 -- it is no secret
	if err != nil {
		return err
	}
	_, err = f.Write(doc)
	return errors.Join(err, f.Sync(), f.Close())
}
