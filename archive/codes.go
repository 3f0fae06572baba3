package archive

import "github.com/svc-edge/svc-verify/finding"

// sentence returns what a code says.
func sentence(code finding.Code) string {
	entry, _ := finding.Lookup(code)
	return entry.Sentence
}
