// Command release writes a release of svc-verify: an archive for each platform, an image for
// containers, a list of the contents of each program, and the digests of all files. The same commit,
// version and toolchain give the same bytes, in any folder and for any user.
//
//	go run ./scripts/release -version 1.2.3 -out DIR [-key KEY] [-platforms LIST] [-dirty] -- FLAG...
//	go run ./scripts/release -compare DIR DIR
//
// It runs in the root of the checkout. The flags behind "--" are for go build, as `make build` has
// them. Everything in the archives has the time of the commit, or SOURCE_DATE_EPOCH.
package main

import (
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"regexp"
)

// The program that is released, and its license.
const (
	program = "svc-verify"
	license = "Apache-2.0"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("release: ")
	var o options
	flag.StringVar(&o.version, "version", "", "the version, by the rules of semver.org")
	flag.StringVar(&o.out, "out", "", "the folder to write, which must not exist")
	flag.StringVar(&o.key, "key", "", "the private key for ssh-keygen to sign with, or the public one of an agent's")
	flag.StringVar(&o.platforms, "platforms", "", "the platforms, such as linux/amd64, with spaces between them")
	flag.BoolVar(&o.dirty, "dirty", false, "also release what is not committed")
	comparing := flag.Bool("compare", false, "compare two releases")
	flag.Parse()
	if *comparing && flag.NArg() == 2 {
		os.Exit(printDifferences(flag.Arg(0), flag.Arg(1)))
	}
	o.flags = flag.Args()
	if err := o.makeRelease(); err != nil {
		log.Fatal(err)
	}
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

// options are the inputs of a release.
type options struct {
	version, out, key, platforms string
	dirty                        bool
	flags                        []string // of go build
}

// semver is the form of a version (semver.org, 2.0.0).
var semver = regexp.MustCompile(`^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)` +
	`(-(0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)(\.(0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*))*)?` +
	`(\+[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$`)

// plainName is how files of a release are named.
var plainName = regexp.MustCompile(`^[0-9A-Za-z_.+-]+$`)

// longestVersion is how long a version may be: records of custody have 64 bytes for it, and file
// names have to stay short.
const longestVersion = 48

// refuseUnfit refuses options that make no release.
func (o *options) refuseUnfit() error {
	switch {
	case !semver.MatchString(o.version) || len(o.version) > longestVersion:
		return fmt.Errorf("the version %q is none: expected one as semver.org has it, such as 1.2.3, of at most %d bytes",
			o.version, longestVersion)
	case o.out == "":
		return errors.New("-out is missing")
	}
	if _, err := os.Lstat(o.out); !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%s: expected no such folder, as a release is written to a new one", o.out)
	}
	return nil
}

// makeRelease writes the release aside, and renames the folder when it is whole.
func (o *options) makeRelease() error {
	if err := o.refuseUnfit(); err != nil {
		return err
	}
	source, err := readSource(o.dirty)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(o.out), 0o755); err != nil { // #nosec G301 -- for everyone, as the release
		return err
	}
	aside, err := os.MkdirTemp(filepath.Dir(o.out), ".release-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(aside) }() // of use to no one
	b := &build{options: o, source: source, work: filepath.Join(aside, "work")}
	files, err := b.releaseFiles()
	if err != nil {
		return err
	}
	folder := filepath.Join(aside, "release")
	if err := writeRelease(folder, files, o.key); err != nil {
		return err
	}
	if err := os.Rename(folder, o.out); err != nil {
		return err
	}
	for _, f := range files {
		fmt.Printf("%10d  %s\n", len(f.data), f.name)
	}
	if o.key == "" {
		fmt.Printf("%s is not signed, as no KEY was given\n", sumsName)
	}
	return nil
}
