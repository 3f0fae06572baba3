package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/archive/seal"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

func archiveProve(c *invocation) (*reply, error) {
	path := c.objectPath(c.Args[1])
	file := c.readFile(c.Args[0], seal.MaxSeal)
	s := tryRead(c, func() (*seal.Seal, error) { return c.parseSeal(c.Args[0], file) })
	leaves := c.openLeaves(c.Args[0])
	if c.err != nil {
		return nil, c.err
	}
	if leaves == nil {
		return nil, fmt.Errorf("there is no list of leaves %s: give it with --leaves", safetext.Quote(c.Args[0]+leavesSuffix))
	}
	proof, err := seal.Prove(s, leaves, path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", safetext.Quote(c.Args[1]), err)
	}
	return &reply{}, c.writeOut(c.Text("out"), func(w io.Writer) error {
		_, err := w.Write(proof)
		return err
	})
}

// objectPath reads the path of an object.
func (c *invocation) objectPath(text string) string {
	path, ok := object.ParsePath(text)
	if !ok {
		c.keepError(cliapp.Usagef("PATH: expected the path of an object as svc-verify prints it, found %s",
			safetext.Quote(text)))
	}
	return path
}

// openLeaves opens the list of leaves of a seal. It is nil if the flag is absent and no list
// is next to the seal.
func (c *invocation) openLeaves(name string) io.ReadSeeker {
	name = cmp.Or(c.Text("leaves"), name+leavesSuffix)
	if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) && !c.Given("leaves") {
		return nil
	}
	return tryOpen(c, func() (*os.File, error) { return openFile(name) })
}
