package read

import (
	"bytes"

	"github.com/svc-edge/svc-verify/finding"
)

// bulkAction remembers an action until its document comes.
func (d *doc) bulkAction(names string) error {
	if names == " delete " || names == " update " {
		return d.dropPart(d.b, &fault{finding.SourceNoRecord, 0, "a bulk action without a whole document"})
	}
	if err := d.noAction(); err != nil {
		return err
	}
	d.stream.action = Skip{Place: d.placeOf(d.b), Code: finding.SourceUnparseable,
		Detail:  "a bulk action without its document",
		Excerpt: bytes.Clone(d.b[:min(len(d.b), excerptSize)])}
	d.reports++
	return nil
}

// noAction reports an action whose document does not come.
func (s *stream) noAction() error {
	if s.action.Code == "" {
		return nil
	}
	skip := s.action
	s.action = Skip{}
	return s.skip(skip)
}

// isAction reports whether the only member is an action of a bulk request.
func isAction(names string) bool {
	switch names {
	case " index ", " create ", " delete ", " update ":
		return true
	}
	return false
}
