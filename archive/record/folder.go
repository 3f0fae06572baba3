package record

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/archive/timestamp"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/access"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// Step is one step of a chain: its files by their names within its folder.
type Step struct {
	Files map[string][]byte
}

// The names of the files of a step that are there once.
const (
	coversName  = "covers.json"
	requestName = "request.tsq"
	tokenName   = "token.tst"
)

// Chain is a chain as its folder has it, within limits. Nothing in it is verified.
type Chain struct {
	Steps   []Step
	Pending *Step // a request that waits for its token
}

// pendingName is the folder of the step whose token has not come yet.
const pendingName = "pending"

// Bounds on a chain: a renewal a month for twenty years.
const (
	MaxSteps     = 256
	MaxChain     = 64 << 20 // octets of all files
	maxStepFiles = 64

	maxRevocation = 32 // files of a step
)

// FolderOf returns the name of the folder with the chain of a seal.
func FolderOf(seal string) string { return seal + ".chain" }

// kind is a kind of file that a step can have.
type kind struct {
	name func() *regexp.Regexp
	most int64 // octets
}

var kinds = []kind{
	{safetext.Pattern(`^covers\.json$`), MaxCovers},
	{safetext.Pattern(`^request\.tsq$`), timestamp.MaxRequest},
	{safetext.Pattern(`^token\.tst$`), timestamp.MaxToken},
	{safetext.Pattern(`^certificate-([1-9]|1[0-6])\.cer$`), timestamp.MaxCertificate},
	{safetext.Pattern(`^revocation-([1-9]|[12][0-9]|3[0-2])\.(crl|ocsp)$`), timestamp.MaxRevocation},
}

// Malformed is an error about a chain that has not its form: evidence, not a fault of
// the machine.
type Malformed struct{ Finding finding.InDocument }

// Error returns the fault, safe to show.
func (m *Malformed) Error() string {
	f := m.Finding
	return fmt.Sprintf("%s: expected %s, found %s (%s)", safetext.Quote(f.Path), safetext.Line(f.Expected),
		safetext.Line(f.Found), f.Code)
}

func chainFault(name, expected, found string) error {
	return &Malformed{finding.InDocument{Code: ChainMalformed, Path: name, Expected: expected, Found: found}}
}

// Read reads a chain from its folder. An absent folder is a chain without steps. The
// error is a [Malformed], or one of reading.
func Read(dir string) (c *Chain, err error) {
	c = &Chain{}
	left := int64(MaxChain)
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", safetext.Quote(dir), access.WithoutPath(err))
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	names, err := list(root, ".", MaxSteps+1)
	if err != nil {
		return nil, err
	}
	if i := slices.Index(names, pendingName); i >= 0 {
		step, err := readStep(root, pendingName, &left)
		if err != nil {
			return nil, err
		}
		c.Pending, names = &step, slices.Delete(names, i, i+1)
	}
	for i, name := range names {
		if want := stepName(i + 1); name != want {
			return nil, chainFault(name, "the folder "+want, "another name")
		}
		step, err := readStep(root, name, &left)
		if err != nil {
			return nil, err
		}
		c.Steps = append(c.Steps, step)
	}
	return c, nil
}

// stepName is the name of the folder of a step, from 1.
func stepName(number int) string { return fmt.Sprintf("%04d", number) }

// list returns the names in a folder, ascending.
func list(root *os.Root, dir string, most int) ([]string, error) {
	if info, err := root.Lstat(dir); err != nil || !info.IsDir() {
		if err == nil {
			return nil, chainFault(dir, "a folder", "something else")
		}
		return nil, access.WithoutPath(err)
	}
	f, err := root.Open(dir)
	if err != nil {
		return nil, access.WithoutPath(err)
	}
	defer f.Close()
	names, err := f.Readdirnames(most + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, access.WithoutPath(err)
	}
	if len(names) > most {
		return nil, chainFault(dir, fmt.Sprintf("at most %d entries", most), "more")
	}
	slices.Sort(names)
	return names, nil
}

// readStep reads the files of a step.
func readStep(root *os.Root, dir string, left *int64) (Step, error) {
	names, err := list(root, dir, maxStepFiles)
	s := Step{Files: map[string][]byte{}}
	for _, name := range names {
		if s.Files[name], err = readOne(root, dir, name, left); err != nil {
			return s, err
		}
	}
	return s, err
}

// readOne reads a file of a step. So many octets of the chain are left to be read.
func readOne(root *os.Root, dir, name string, left *int64) ([]byte, error) {
	at := path.Join(dir, name)
	i := slices.IndexFunc(kinds, func(k kind) bool { return k.name().MatchString(name) })
	if i < 0 {
		return nil, chainFault(at, "a file of a step", "another name")
	}
	if info, err := root.Lstat(at); err != nil || !info.Mode().IsRegular() {
		if err == nil {
			return nil, chainFault(at, "a regular file", "something else")
		}
		return nil, access.WithoutPath(err)
	}
	f, err := root.Open(at)
	if err != nil {
		return nil, access.WithoutPath(err)
	}
	defer f.Close()
	most := min(kinds[i].most, *left)
	doc, err := io.ReadAll(io.LimitReader(f, most+1))
	if err != nil {
		return nil, access.WithoutPath(err)
	}
	if *left -= int64(len(doc)); int64(len(doc)) > most {
		return nil, chainFault(at, fmt.Sprintf("at most %d octets, and %d in all files", kinds[i].most, MaxChain), "more")
	}
	return doc, nil
}

// some returns the files of a step whose names begin so, ascending.
func (s *Step) some(prefix string) (files []*file) {
	for name, doc := range s.Files {
		if strings.HasPrefix(name, prefix) {
			files = append(files, &file{name: name, doc: doc})
		}
	}
	slices.SortFunc(files, func(a, b *file) int { return strings.Compare(a.name, b.name) })
	return files
}

// below returns some files of a step, by their names in the chain.
func (s *Step) below(dir, prefix string) []*file {
	files := s.some(prefix)
	for _, f := range files {
		f.name = path.Join(dir, f.name)
	}
	return files
}
