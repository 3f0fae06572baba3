package nodeconfig

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/svc-edge/svc-verify/internal/access"
	"github.com/svc-edge/svc-verify/internal/ijson"
)

// maxConfig is the size of a configuration in bytes. One with every list at its
// limit has about 200 KB.
const maxConfig = 1 << 20

// Read reads the configuration at path and judges it, and every file that it
// names, as of a time: a certificate must be valid then. Relative paths start
// from the folder of path.
//
// Of Config, Faults and error one is not empty. The error says that the
// configuration itself cannot be read; whatever is wrong in or behind it is a
// fault.
func Read(path string, at time.Time) (*Config, Faults, error) {
	f, err := openAny(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, plainError(err)
	}
	if !info.Mode().IsRegular() {
		return nil, nil, fmt.Errorf("expected a regular file, found %s", kindOf(info.Mode()))
	}
	c := &collector{}
	// The file names a program that the node will run.
	if err := access.Check(f, access.Read); err != nil {
		c.fault("", "a file that neither group nor others may write to", err.Error())
	}
	doc, err := readAtMost(f, maxConfig)
	if err != nil {
		return nil, nil, err
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
		// What is there is not shown: it may be a key that was given in the
		// place of the configuration.
		c.fault(fault.Path, fault.Expected, fmt.Sprintf("something else at byte %d", fault.Offset))
		return nil
	}
	if !c.is(root, ijson.Object) {
		return nil
	}
	return newDecoder(c, root, base).decode()
}

// escape writes a name as a token of an RFC 6901 pointer.
func escape(name string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}
