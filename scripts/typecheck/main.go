// Command typecheck type-checks the packages below the working directory, with their tests and
// all that they import, for other systems. It reads sources alone: to compile all of it would
// be ten times as slow, and find the same mistakes.
//
//	go run ./scripts/typecheck windows/386 darwin/arm64
package main

import (
	"errors"
	"fmt"
	"log"
	"os"
	"strings"

	"golang.org/x/tools/go/packages"
)

func main() {
	log.SetFlags(0)
	for _, target := range os.Args[1:] {
		if err := checkTypes(".", target); err != nil {
			log.Fatal(err)
		}
	}
}

// checkTypes checks the packages below a folder for a system and an architecture, such as windows/386.
func checkTypes(folder, target string) error {
	system, architecture, _ := strings.Cut(target, "/")
	found, err := packages.Load(&packages.Config{
		Mode: packages.LoadAllSyntax, Dir: folder, Tests: true,
		Env: append(os.Environ(), "GOOS="+system, "GOARCH="+architecture, "CGO_ENABLED=0"),
	}, "./...")
	if err != nil {
		return fmt.Errorf("%s: %w", target, err)
	}
	problems := []error{}
	seen := map[string]bool{} // a package and its tests have the same files
	packages.Visit(found, nil, func(p *packages.Package) {
		for _, problem := range p.Errors {
			if text := problem.Error(); !seen[text] {
				seen[text] = true
				problems = append(problems, fmt.Errorf("%s: %w", target, problem))
			}
		}
	})
	return errors.Join(problems...)
}
