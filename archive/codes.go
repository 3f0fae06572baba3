package archive

import "github.com/svc-edge/svc-verify/finding"

// entries says what each code of an archive fixes.
var entries = finding.OfArchives()

// sentence returns what a code says.
func sentence(code finding.Code) string {
	entry, _ := entries.Lookup(code)
	return entry.Sentence
}
