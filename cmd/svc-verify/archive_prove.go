package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/archive/seal"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

func archiveProve(c *invocation) (*reply, error) {
	path, ok := object.ParsePath(c.Args[1])
	if !ok {
		return nil, cliapp.Usagef("expected the path of an object as svc-verify prints it, found %s",
			safetext.Quote(c.Args[1]))
	}
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
	return &reply{}, c.writeOut(c.Text("out"), writeOctets(proof))
}

// openLeaves opens the list of leaves of a seal. It is nil if there is none beside the
// seal, and none was named.
func (c *invocation) openLeaves(name string) *os.File {
	if c.Given("leaves") {
		return tryOpen(c, func() (*os.File, error) { return openFile(c.Text("leaves")) })
	}
	if _, err := os.Stat(name + leavesSuffix); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return tryOpen(c, func() (*os.File, error) { return openFile(name + leavesSuffix) })
}
