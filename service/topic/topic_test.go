package topic

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestDocumented: service/docs/service.md names every topic.
func TestDocumented(t *testing.T) {
	doc := must.Get(os.ReadFile(filepath.Join("..", "docs", "service.md")))(t)
	for _, topic := range All() {
		check.That(t, strings.Contains(string(doc), "`"+topic+"`"), "service/docs/service.md says nothing of %s", topic)
		check.That(t, Known(topic), "%s is not known", topic)
	}
	check.That(t, !Known("") && !FromCloud("") && !FromCloud(IdentityRotated) && FromCloud(ServiceClaimed),
		"the topics are mixed up")
}
