package archive

import (
	"context"
	"strings"
	"testing"
)

// A fault of the program costs the object that it was in.
func TestFault(t *testing.T) {
	x := (&workers{}).guarded(context.Background(), nil, item{path: "a.json"}) // there is no reader
	if x.item.path != "a.json" || x.err != nil || x.judged != nil || !strings.Contains(x.fault, "a fault of svc-verify") {
		t.Errorf("%+v", x)
	}
}
