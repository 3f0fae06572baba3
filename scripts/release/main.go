// Command release is for releases of svc-verify.
//
//	go run ./scripts/release -compare DIR DIR
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"regexp"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("release: ")
	comparing := flag.Bool("compare", false, "compare two releases")
	flag.Parse()
	if !*comparing || flag.NArg() != 2 {
		log.Fatal("expected -compare DIR DIR")
	}
	os.Exit(printDifferences(flag.Arg(0), flag.Arg(1)))
}

// printDifferences compares two releases, and returns the exit code: 1 if they differ, and 2 if they
// could not be compared.
func printDifferences(a, b string) int {
	differences, err := compareReleases(a, b)
	if err != nil {
		log.Print(err)
		return 2
	}
	for _, line := range differences {
		fmt.Println(line)
	}
	return min(len(differences), 1)
}

// plainName is how files of a release are named.
var plainName = regexp.MustCompile(`^[0-9A-Za-z_.+-]+$`)
