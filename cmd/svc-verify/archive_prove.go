package main

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"

	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/archive/record"
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
	written := map[string][]byte{c.Text("out"): proof}
	if fileExists(c.Args[0] + recordSuffix) {
		c.proveTime(file, proof, written)
	}
	for _, name := range slices.Sorted(maps.Keys(written)) {
		c.writeBytes(name, written[name])
	}
	return &reply{}
}

// The suffixes of a proof's name for the records that go with it.
const (
	objectRecord = recordSuffix           // of the object
	sealRecord   = ".seal" + recordSuffix // of the seal, which binds the object to its path
)

// proveTime adds the evidence records of the object of a proof and of the seal to written.
func (c *invocation) proveTime(file, proof []byte, written map[string][]byte) {
	der := c.readFile(c.Args[0]+recordSuffix, record.MaxRecord)
	in := &sealInput{file: file, record: mustHave(record.Parse(der))}
	stopIf(!in.record.Ours(), "the record is not spelled as this program writes one: no other follows from it")
	hashes := in.record.ChainHashes()
	lists := c.openLists(len(hashes))
	stopIf(lists == nil, "there is no list of leaves %s: the record of an object follows from the list of each chain",
		safetext.Quote(c.Args[0]+record.LeavesSuffix(len(hashes))))
	f := in.growFrom(lists, hashes)
	stopOn(f.Fits())
	p, _ := seal.ParseProof(proof)
	written[c.Text("out")+objectRecord], written[c.Text("out")+sealRecord] = mustHave(f.Object(int(p.Index)).DER()), der
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
