package ingest

import (
	"errors"
	"hash/maphash"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/internal/listing"
)

// noteLink notes a link below a folder, which is never followed. Nothing is missing if its
// target is given as well: the kubelet keeps links to its logs in a folder of their own.
func (in *ingest) noteLink(path string) error {
	target := listing.Target(path)
	if target == "" || !in.roots.Have(target) && !in.gaveBefore(target) {
		return in.refusePath(path, finding.SourceNotEvidence, listing.ErrLink.Error())
	}
	const detail = "a symbolic link to a path that is given as well"
	if in.visitor != nil {
		return in.visitor.refusePath(path, finding.SourceNoRecord, detail)
	}
	return errors.Join(in.w.Withdraw(path, finding.SourceNotEvidence),
		in.w.Refuse(facts.Unread{Path: path, Code: string(finding.SourceNoRecord), Detail: detail}))
}

// gaveBefore reports whether a real path was given in an earlier ingest.
func (in *ingest) gaveBefore(target string) bool {
	if len(in.earlier.source) == 0 {
		return false
	}
	_, ok := in.earlier.source[maphash.String(in.earlier.seed, target)]
	return ok
}
