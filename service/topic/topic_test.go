package topic

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/must"
)

// TestDocumented: service/docs/service.md names every topic.
func TestDocumented(t *testing.T) {
	doc := must.Get(os.ReadFile(filepath.Join("..", "docs", "service.md")))(t)
	for _, topic := range All() {
		if !strings.Contains(string(doc), "`"+topic+"`") {
			t.Errorf("service/docs/service.md says nothing of %s", topic)
		}
		if !Known(topic) {
			t.Errorf("%s is not known", topic)
		}
	}
	if Known("") || FromCloud("") || FromCloud(IdentityRotated) || !FromCloud(ServiceClaimed) {
		t.Error("the topics are mixed up")
	}
}
