package walk_test

import (
	"flag"
	"os"
	"testing"

	"github.com/svc-edge/svc-verify/harness/chance"
)

// TestMain does fewer checks of each property with -short: every one of them signs logs
// and walks them in several ways.
func TestMain(m *testing.M) {
	flag.Parse()
	if testing.Short() {
		chance.Checks(15)
	}
	os.Exit(m.Run())
}
