package status_test

import (
	"flag"
	"os"
	"testing"

	"github.com/svc-edge/svc-verify/harness/chance"
)

// TestMain draws less with -short: most of what is drawn is a case on the disk.
func TestMain(m *testing.M) {
	flag.Parse()
	if testing.Short() {
		chance.Checks(6)
	}
	os.Exit(m.Run())
}
