package examine

import (
	"flag"
	"os"
	"testing"
)

// TestMain does fewer checks of each property than usual, unless told how many:
// every one of them fills cases from files. With -short they are fewer still.
func TestMain(m *testing.M) {
	flag.Parse()
	told := false
	flag.Visit(func(f *flag.Flag) { told = told || f.Name == "rapid.checks" })
	checks := "40"
	if testing.Short() {
		checks = "10"
	}
	if !told {
		if err := flag.Set("rapid.checks", checks); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}
