package archive

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/listing"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/tasks"
)

// A fault of the program costs the object that it was in.
func TestFault(t *testing.T) {
	x := (&workers{}).guarded(context.Background(), nil, item{path: "a.json"}) // there is no reader
	if x.item.path != "a.json" || x.err != nil || x.judged != nil || !strings.Contains(x.fault, "a fault of svc-verify") {
		t.Errorf("%+v", x)
	}
}

// One while objects are handed out ends the run with an error.
func TestFaultEndsRun(t *testing.T) {
	root := must.Get(listing.Open(t.TempDir()))(t)
	defer root.Close()
	w := &workers{o: &Options{Workers: 2}, root: root} // there is a plan
	if _, err := w.run(t.Context(), nil, nil); !errors.As(err, new(*tasks.Panic)) {
		t.Errorf("%v", err)
	}
}
