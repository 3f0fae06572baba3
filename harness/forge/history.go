package forge

import (
	"fmt"
	"slices"

	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// RewriteLog writes the tenant log again up to the checkpoint, with bodies that
// the function may change, and makes a path that discloses the events of these
// sequences. It returns the new head. Checkpoint, receipts and status do not
// follow: see [Bundle.Restamp].
func (b *Bundle) RewriteLog(disclose []uint64, change func(body seal.Object)) (head seal.Hash, err error) {
	log := seal.NewLog(harness.Tenant, b.newestCovered("log_id"))
	var shown []seal.Object
	for _, event := range b.Scene.Tenant[:b.length] {
		body := seal.CloneObject(seal.Member(event, "body"))
		change(body)
		written := log.AppendBody(body, b.Scene.Keys.Audit[seal.Text(event, "key_id")])
		if slices.Contains(disclose, log.Sequence()) {
			shown = append(shown, written)
		}
	}
	path, err := log.Path(log.Sequence(), shown...)
	b.Document["audit_path"] = path
	return log.Head(), err
}

func (b *Bundle) newestCovered(member string) string {
	return seal.Text(seal.Member(seal.Member(b.Document, "checkpoint"), "statement"), member)
}

// Restamp makes checkpoint, receipts and status name another head of the log,
// and signs those whose keys are given.
func (b *Bundle) Restamp(head seal.Hash, keys harness.Keys) error {
	if statement := seal.Member(seal.Member(b.Document, "checkpoint"), "statement"); statement != nil {
		statement["head_hash"] = head.String()
	}
	return Stamp(b.Document, keys)
}

// Stamp signs the checkpoint of a bundle as it is now, and has receipts and status follow,
// as far as keys are given.
func Stamp(document seal.Object, keys harness.Keys) error {
	checkpoint, status := seal.Member(document, "checkpoint"), seal.Member(document, "status")
	statement := seal.Member(checkpoint, "statement")
	if statement == nil || status == nil {
		return fmt.Errorf("expected a checkpoint and a status")
	}
	stamp := func(envelope seal.Object, section map[string]seal.Key) error {
		if key, ok := section[seal.Text(envelope, "key_id")]; ok {
			return Sign(envelope, key)
		}
		return nil
	}
	err := stamp(checkpoint, keys.Audit)
	digest := seal.Digest(statement)
	for _, receipt := range seal.ObjectList(document, "witness_receipts") {
		if _, held := keys.Node[seal.Text(receipt, "key_id")]; err == nil && held {
			witnessed := seal.Member(receipt, "statement")
			witnessed["checkpoint_sha256"] = digest
			witnessed["sequence"], witnessed["head_hash"] = statement["sequence"], statement["head_hash"]
			err = stamp(receipt, keys.Node)
		}
	}
	if err != nil {
		return err
	}
	seal.Member(status, "statement")["checkpoint_sha256"] = digest
	return stamp(status, keys.Audit)
}

// Graft hangs the history that the bundle's path shows behind one skip link of
// the scene's own log. From there up, the log is the one that the nodes know.
// It returns the sequence of that event, and the links of the whole log as a
// node gets them.
func (b *Bundle) Graft() (at uint64, log []seal.Link, err error) {
	links := seal.ObjectList(seal.Member(b.Document, "audit_path"), "links")
	at, skipped, err := findFork(links)
	if err != nil {
		return 0, nil, err
	}
	honest := b.Scene.TenantLog()
	hashes := []seal.Hash{honest.Hash(0)}
	for n := uint64(1); n <= uint64(b.length); n++ {
		link := honest.Link(n)
		link.Previous, link.Skip = hashes[n-1], hashes[seal.Skip(n)]
		if n == at {
			link.Skip = skipped
		}
		log, hashes = append(log, link), append(hashes, link.Hash())
	}
	for i, element := range links {
		n := uint64(seal.Integer(element, "sequence"))
		if n < at {
			break
		}
		links[i] = log[n-1].Redacted()
	}
	seal.Member(b.Document, "audit_path")["links"] = seal.Objects(links)
	return at, log, nil
}

// findFork finds the first skip link that a path uses, and the hash behind it.
func findFork(links []seal.Object) (at uint64, skipped seal.Hash, err error) {
	for i := range len(links) - 1 {
		n, next := seal.Integer(links[i], "sequence"), seal.Integer(links[i+1], "sequence")
		if next > 0 && next < n-1 {
			skipped, err = seal.ParseHash(seal.Text(links[i], "skip_hash"))
			return uint64(n), skipped, err
		}
	}
	return 0, skipped, fmt.Errorf("the path takes no skip link")
}
