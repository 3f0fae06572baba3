//go:build unix

package ingest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestLinkAndTarget: a link is no gap in the evidence if its target is given,
// before or after it, and is one as long as it is not.
func TestLinkAndTarget(t *testing.T) {
	targets, links := t.TempDir(), t.TempDir()
	target := write(t, targets, "0.log", file(journal(berlin, 5, 1)))
	must.Do(t, os.Symlink(target, filepath.Join(links, "pod.log")))
	open, closed := string(finding.SourceNotEvidence), string(finding.SourceNoRecord)
	for name, steps := range map[string][]struct {
		paths []string
		want  string
	}{
		"together":     {{[]string{links, targets}, closed}},
		"the file":     {{[]string{links, target}, closed}},
		"before":       {{[]string{target}, ""}, {[]string{links}, closed}},
		"after":        {{[]string{links}, open}, {[]string{links, targets}, closed}},
		"the link":     {{[]string{filepath.Join(links, "pod.log")}, ""}},
		"another file": {{[]string{links, write(t, t.TempDir(), "0.log", "")}, open}},
	} {
		path := filepath.Join(t.TempDir(), "case.db")
		for _, step := range steps {
			fill(t, path, Options{}, step.paths...)
			check.Equal(t, unread(t, path)["pod.log"], step.want, "%s", name)
		}
	}
}
