package nodeconfig

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/svc-edge/svc-verify/internal/access"
	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// maxConfig is the size of a configuration in bytes. One with every list at its
// limit has about 200 KB.
const maxConfig = 1 << 20

// Read reads the configuration at path and judges it, and every file that it
// names, as of a time: a certificate must be valid then. Relative paths start
// from the folder of path.
//
// Of Config, Faults and error one is not empty. An error means that the configuration itself
// cannot be read; anything wrong in or behind it is a fault.
func Read(path string, at time.Time) (*Config, Faults, error) {
	f, err := access.OpenRegular(path)
	if err != nil {
		return nil, nil, access.WithoutPath(err)
	}
	defer f.Close()
	c := &collector{}
	// The file names a program that the node will run.
	if err := access.Check(f, access.Read); err != nil {
		c.fault("", "a file that neither group nor others may write to", err.Error())
	}
	doc, err := io.ReadAll(io.LimitReader(f, maxConfig+1))
	if err != nil {
		return nil, nil, access.WithoutPath(err)
	}
	config := c.decode(doc, filepath.Dir(path))
	if config != nil {
		(&inspector{c, at}).inspect(config)
	}
	if faults := c.faults.sorted(); len(faults) > 0 {
		return nil, faults, nil
	}
	return config, nil, nil
}

// decode judges the form of a configuration. It returns nil if there is nothing
// in it to go on with.
func (c *collector) decode(doc []byte, base string) *Config {
	if len(doc) > maxConfig {
		c.fault("", fmt.Sprintf("at most %d bytes", maxConfig), "more")
		return nil
	}
	root, fault := ijson.Parse(doc)
	if fault != nil {
		// The content is not shown: it may be a key that was given in the place of the
		// configuration.
		c.fault(fault.Path, fault.Expected, fmt.Sprintf("something else at byte %d", fault.Offset))
		return nil
	}
	if !c.is(root, ijson.Object) {
		return nil
	}
	return newDecoder(c, root, base).decode()
}

// escapePointer writes a name as a token of an RFC 6901 pointer.
func escapePointer(name string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}

// maxFaults is how many faults are reported: more than a configuration has
// settings, and not so many that a hostile one floods the report.
const maxFaults = 256

// Fault is one way in which a configuration breaks a rule.
type Fault struct {
	// Pointer is the RFC 6901 pointer of the setting, or "" for the whole file.
	// A name in it can be anyone's text: quote it before it is shown.
	Pointer string `json:"pointer"`
	// Expected is the rule's requirement, and Found the actual state. Both are printable
	// ASCII, and hold nothing of a secret.
	Expected string `json:"expected"`
	Found    string `json:"found"`
}

// Faults are all faults of a configuration, in ascending order.
type Faults []Fault

// Error returns the faults in one sentence each, one a line.
func (f Faults) Error() string {
	lines := make([]string, len(f))
	for i, fault := range f {
		lines[i] = fmt.Sprintf("%s: expected %s, found %s", quoteText(fault.Pointer), fault.Expected, fault.Found)
	}
	return strings.Join(lines, "\n")
}

// sorted returns the faults in order, each once, and no more than maxFaults.
func (f Faults) sorted() Faults {
	slices.SortFunc(f, func(a, b Fault) int {
		return cmp.Or(strings.Compare(a.Pointer, b.Pointer), strings.Compare(a.Expected, b.Expected),
			strings.Compare(a.Found, b.Found))
	})
	f = slices.Compact(f)
	return f[:min(len(f), maxFaults)]
}

// collector gathers the faults of one configuration.
type collector struct{ faults Faults }

func (c *collector) fault(pointer, expected, found string) {
	c.faults = append(c.faults, Fault{pointer, expected, found})
}

// at records a fault of a value of the document.
func (c *collector) at(v *ijson.Value, expected, found string) {
	c.fault(v.Pointer(), expected, found)
}

// faulty reports whether a setting has a fault.
func (c *collector) faulty(pointer string) bool {
	return slices.ContainsFunc(c.faults, func(f Fault) bool { return f.Pointer == pointer })
}

// is reports whether v is of the kind, and records a fault if it is not.
func (c *collector) is(v *ijson.Value, kind ijson.Kind) bool {
	if v.Kind() != kind {
		c.at(v, kind.String(), v.Kind().String())
	}
	return v.Kind() == kind
}

// maxQuoted is the width of a quoted text: it fits next to its label in a line of 80 columns,
// and nothing breaks it.
const maxQuoted = 64

// quoteText quotes text out of the document, and cuts it.
func quoteText(text string) string {
	most := maxQuoted
	for len(safetext.Excerpt(text, most)) > maxQuoted {
		most--
	}
	return safetext.Excerpt(text, most)
}

// ReadClient reads the files of a client's identity again, so that one that was renewed is
// taken up without a restart. The rules are the same as for [Read]. Where there are faults,
// the chain is there as far as it could be read: the caller may want to know that it has
// expired, and must not use it.
func (id Identity) ReadClient(at time.Time) (Identity, Faults) {
	c := &collector{}
	read := Identity{CertificateFile: id.CertificateFile, PrivateKeyFile: id.PrivateKeyFile}
	(&inspector{c, at}).identity(&read, clientUse)
	return read, c.faults.sorted()
}
