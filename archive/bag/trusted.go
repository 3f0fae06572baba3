package bag

import (
	"crypto/sha256"
	"crypto/sha512"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/archive/history"
	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/run"
	"github.com/svc-edge/svc-verify/internal/form"
)

// entriesName is the file of a history.
const entriesName = TrustFolder + history.EntriesFile

// compareTrust compares the trust files with their history. It notes each file that neither a record nor
// an entry of the history names.
func (p *parts) compareTrust() {
	files, named := map[string]run.Digest{}, map[run.Digest]bool{}
	for _, part := range p.names() {
		if strings.HasPrefix(part, TrustFolder) && part != entriesName {
			content := p.readPart(part, form.MaxTrust)
			files[part] = sha256.Sum256(content)
			p.trust[files[part]] = sha512.Sum512(content)
		}
	}
	if made := p.options.strict && p.files[entriesName] == nil; !made && !p.lacksPart(entriesName) {
		p.signed = true
		p.compareHistory(files, named)
	}
	for i := range p.runs {
		named[p.runs[i].Trust] = true
	}
	if n := len(p.runs); n > 0 {
		p.lacksTrustOf(&p.runs[n-1])
	}
	for _, part := range slices.Sorted(maps.Keys(files)) {
		if !named[files[part]] {
			p.alone = append(p.alone, part)
		}
	}
}

// lacksTrustOf notes that the trust file of a run is not there, and reports whether it is not.
func (p *parts) lacksTrustOf(r *ledger.Run) bool {
	_, kept := p.trust[r.Trust]
	if !kept && !p.untrusted[r.Trust] {
		p.untrusted[r.Trust] = true
		p.lacking = append(p.lacking, fmt.Sprintf("the trust file of run %d (SHA-256 %x)", r.Number, r.Trust))
	}
	return !kept
}

// compareHistory compares the history with the trust files and the newest run. It notes the trust files
// that the history names.
func (p *parts) compareHistory(files map[string]run.Digest, named map[run.Digest]bool) {
	entries, unlinked := history.Linked(p.readPart(entriesName, history.MaxFile))
	if unlinked != nil {
		p.sayFinding(entriesName, unlinked)
	}
	for i := range entries {
		sum := entries[i].Trust
		named[sum] = true
		file := TrustFolder + history.TrustFile(sum)
		if !p.lacksPart(file) && files[file] != sum {
			p.sayDiffers(file, "its SHA-256", "the one of its name", "another")
		}
	}
	if n := len(p.runs); n > 0 && !named[p.runs[n-1].Trust] {
		p.say(HistoryNotRecorded, entriesName, 0, "run %d has the trust file %x", n, p.runs[n-1].Trust)
	}
}
