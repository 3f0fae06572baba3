package ledger_test

import (
	"flag"
	"os"
	"testing"
)

// TestMain does fewer checks of each property with -short, unless told how many:
// each waits for the disk whenever a ledger is closed.
func TestMain(m *testing.M) {
	flag.Parse()
	told := false
	flag.Visit(func(f *flag.Flag) { told = told || f.Name == "rapid.checks" })
	if testing.Short() && !told {
		if err := flag.Set("rapid.checks", "15"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}
