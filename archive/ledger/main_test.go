package ledger_test

import (
	"flag"
	"os"
	"testing"

	"github.com/svc-edge/svc-verify/harness/chance"
)

// TestMain does fewer checks of each property, and fewer still with -short: each waits
// for the disk whenever a ledger is closed.
func TestMain(m *testing.M) {
	flag.Parse()
	chance.Checks(chance.Sized(50, 15))
	os.Exit(m.Run())
}
