package topic

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDocumented: service/docs/service.md names every topic.
func TestDocumented(t *testing.T) {
	doc, err := os.ReadFile(filepath.Join("..", "docs", "service.md"))
	if err != nil {
		t.Fatal(err)
	}
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
