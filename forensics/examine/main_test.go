package examine

import (
	"flag"
	"os"
	"testing"

	"github.com/svc-edge/svc-verify/harness/chance"
)

// TestMain does fewer checks of each property than usual: every one of them fills cases
// from files. With -short they are fewer still.
func TestMain(m *testing.M) {
	flag.Parse()
	checks := 40
	if testing.Short() {
		checks = 5
	}
	chance.Checks(checks)
	os.Exit(m.Run())
}
