package safetext

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/internal/must"
)

// TestJSON: the document says the same, and in printable ASCII alone.
func TestJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.String().Draw(t, "text")
		doc := must.Get(json.Marshal(map[string]string{want: want}))(t)
		var found map[string]string
		ascii := JSON(doc)
		if err := json.Unmarshal(ascii, &found); err != nil || found[want] != want {
			t.Fatalf("%q became %s, %v", want, ascii, err)
		}
		for _, c := range ascii {
			must.That(t, c >= ' ' && c <= '~', "%q became %q", want, ascii)
		}
	})
	if found := string(JSON([]byte("\"\u007f\u202e\U0001f600\""))); found != `"\u007f\u202e\ud83d\ude00"` {
		t.Errorf("found %s", found)
	}
}
