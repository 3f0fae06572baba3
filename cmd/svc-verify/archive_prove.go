package main

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/archive/seal"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

func archiveProve(c *invocation) *reply {
	path := c.objectPath(c.Args[1])
	file := c.readFile(c.Args[0], seal.MaxSeal)
	s := c.parseSeal(c.Args[0], file)
	leaves := c.openLeaves(c.Args[0])
	stopIf(leaves == nil, "there is no list of leaves %s: give it with --leaves",
		safetext.Quote(c.Args[0]+leavesSuffix))
	proof, err := seal.Prove(s, leaves, path)
	stopIf(err != nil, "%s: %w", safetext.Quote(c.Args[1]), err)
	c.writeOut(c.Text("out"), func(w io.Writer) error {
		_, err := w.Write(proof)
		return err
	})
	return &reply{}
}

// objectPath reads the path of an object.
func (c *invocation) objectPath(text string) string {
	path, ok := object.ParsePath(text)
	refuseIf(!ok, "PATH: expected the path of an object as svc-verify prints it, found %s",
		safetext.Quote(text))
	return path
}

// openLeaves opens the list of leaves of a seal. It is nil if the flag is absent and no list
// is next to the seal.
func (c *invocation) openLeaves(name string) io.ReadSeeker {
	name = cmp.Or(c.Text("leaves"), name+leavesSuffix)
	if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) && !c.Given("leaves") {
		return nil
	}
	return closeLater(c, mustHave(openFile(name)))
}
