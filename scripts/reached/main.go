// Command reached lists the packages below the working directory whose tests a change can reach:
// those with a changed file, and those whose code or tests use a package with changed code. With
// no commit, or with one that is not in the history, it lists all of them.
//
//	go run ./scripts/reached [COMMIT]    # reached by changes since COMMIT, one folder a line
//
// A document reaches no package: the comparisons of documents are in the short tests, which
// always run whole. Dependencies, the files that run tests, and the fixtures, which tests of
// many packages open by their paths, reach all packages.
package main

import (
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	log.SetFlags(0)
	commit := ""
	if len(os.Args) > 1 {
		commit = os.Args[1]
	}
	folders, err := reachedFolders(".", commit)
	if err != nil {
		log.Fatal(err)
	}
	for _, folder := range folders {
		fmt.Println(folder)
	}
}

// reachedFolders returns the packages below a folder that changes since a commit can reach, as
// paths from the folder.
func reachedFolders(folder, commit string) ([]string, error) {
	known, err := readPackages(folder)
	if err != nil {
		return nil, err
	}
	changed, all, err := changedFolders(folder, commit, known)
	if err != nil {
		return nil, err
	}
	var reached []string
	for _, own := range known.own {
		if all || changed[own] != none || slices.ContainsFunc(known.uses[own], func(used string) bool {
			return changed[used] == code
		}) {
			path, err := filepath.Rel(known.root, own)
			if err != nil {
				return nil, err
			}
			reached = append(reached, "./"+filepath.ToSlash(path))
		}
	}
	if commit != "" {
		// #nosec G706 -- a developer's commit
		log.Printf("%d of %d packages: no change since %s reaches the others", len(reached), len(known.own), commit)
	}
	return reached, nil
}

// packages are the packages of a module, by their folders.
type packages struct {
	root string              // the folder that was asked about
	own  []string            // those below it, in order
	uses map[string][]string // of each, the folders of all packages that it and its tests use
}

// readPackages asks go for the packages below a folder.
func readPackages(folder string) (*packages, error) {
	root, err := filepath.Abs(folder)
	if err == nil {
		root, err = filepath.EvalSymlinks(root)
	}
	if err != nil {
		return nil, err
	}
	out, err := runProgram(folder, "go", "list", "-tags", "heavy", "-deps", "-test", "-f",
		`{{if not .Standard}}{{.DepOnly}}|{{.ImportPath}}|{{.Dir}}|{{join .Deps ","}}{{end}}`, "./...")
	if err != nil {
		return nil, err
	}
	type listed struct{ folder, deps string }
	p, folders, tested := &packages{root: root, uses: map[string][]string{}}, map[string]string{}, []listed{}
	for line := range strings.Lines(out) {
		parts := strings.Split(strings.TrimSuffix(line, "\n"), "|")
		if len(parts) != 4 {
			continue
		}
		place, err := filepath.EvalSymlinks(parts[2]) // as git has it
		if err != nil {
			return nil, err
		}
		folders[plainName(parts[1])] = place
		if parts[0] == "false" {
			tested = append(tested, listed{place, parts[3]})
		}
	}
	for _, one := range tested {
		if p.uses[one.folder] == nil {
			p.own = append(p.own, one.folder)
		}
		used := append(p.uses[one.folder], one.folder)
		for name := range strings.SplitSeq(one.deps, ",") {
			used = append(used, folders[plainName(name)])
		}
		slices.Sort(used)
		p.uses[one.folder] = slices.Compact(used)
	}
	slices.Sort(p.own)
	return p, nil
}

// change is the part of a package that changed.
type change int

const (
	none  change = iota
	tests        // which no other package uses
	code
)

// plainName is the import path without the test for which the package was compiled anew.
func plainName(importPath string) string {
	name, _, _ := strings.Cut(importPath, " ")
	return name
}

// changedFolders returns the changes in the folders of packages, or that all of it counts as
// changed.
func changedFolders(folder, commit string, known *packages) (changed map[string]change, all bool, err error) {
	if commit == "" {
		return nil, true, nil
	}
	ancestor := exec.Command("git", "merge-base", "--is-ancestor", commit, "HEAD") // #nosec G204 G702
	if ancestor.Dir = folder; ancestor.Run() != nil {
		return nil, true, nil // another history, or none
	}
	top, err := runProgram(folder, "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, false, err
	}
	files, err := runProgram(folder, "git", "diff", "--name-only", "-z", "--no-renames", commit)
	if err != nil {
		return nil, false, err
	}
	isPackage := map[string]bool{}
	for _, used := range known.uses {
		for _, one := range used {
			isPackage[one] = true
		}
	}
	changed = map[string]change{}
	for file := range strings.SplitSeq(files, "\x00") {
		switch {
		case reachesAll(file):
			return nil, true, nil
		case file == "" || strings.HasPrefix(file, "docs/") || strings.HasSuffix(file, ".md"):
			continue
		}
		top := strings.TrimSpace(top)
		place := filepath.Dir(filepath.Join(top, filepath.FromSlash(file)))
		for !isPackage[place] && place != top && place != filepath.Dir(place) {
			place = filepath.Dir(place)
		}
		what := code
		if strings.HasSuffix(file, "_test.go") {
			what = tests
		}
		changed[place] = max(changed[place], what)
	}
	return changed, false, nil
}

// reachesAll reports whether all packages depend on a file.
func reachesAll(file string) bool {
	switch filepath.Base(file) {
	case "go.mod", "go.sum", "Makefile":
		return !strings.Contains(file, "interop/") // modules of their own
	}
	return file == ".ci/run" || strings.HasPrefix(file, "fixtures/") && !strings.HasSuffix(file, ".go") ||
		strings.HasPrefix(file, "scripts/") && strings.HasSuffix(file, ".sh") ||
		strings.HasPrefix(file, "scripts/heavy/") || strings.HasPrefix(file, "scripts/reached/")
}

// runProgram runs a program in a folder, and returns its output.
func runProgram(folder, program string, args ...string) (string, error) {
	command := exec.Command(program, args...) // #nosec G204 G702 -- go and git
	command.Dir, command.Stderr = folder, os.Stderr
	out, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", program, args[0], err)
	}
	return string(out), nil
}
