// Command heavy runs the tests below the working directory that are larger without -short: those
// that depend on -short, draw with rapid, or have the build tag heavy, by themselves or through a
// function of their package. The others are the same in both forms, and `make test` has run them.
//
//	go run ./scripts/heavy [FLAG...] [-- FOLDER...]    # flags of go test; only these packages
package main

import (
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"io/fs"
	"log"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	log.SetFlags(0)
	folders := map[string][]string{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != "." && (isModule(path) || d.Name() == "testdata"):
			return filepath.SkipDir
		case strings.HasSuffix(path, "_test.go"):
			folders[filepath.Dir(path)] = append(folders[filepath.Dir(path)], path)
		}
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	flags, only, chosen := cutArguments(os.Args[1:])
	var packages, tests []string
	for _, folder := range slices.Sorted(maps.Keys(folders)) {
		if chosen && !only[folder] {
			continue
		}
		if names := largerTests(folders[folder]); len(names) > 0 {
			packages, tests = append(packages, "./"+filepath.ToSlash(folder)), append(tests, names...)
		}
	}
	if len(packages) == 0 {
		return
	}
	slices.Sort(tests)
	run := "^(" + strings.Join(slices.Compact(tests), "|") + ")$"
	args := slices.Concat([]string{"test", "-tags", "heavy", "-run", run}, flags, packages)
	command := exec.Command("go", args...) // #nosec G204,G702 -- flags of go test
	command.Stdout, command.Stderr = os.Stdout, os.Stderr
	if err := command.Run(); err != nil {
		log.Fatal(err)
	}
}

// cutArguments returns the flags of go test, and the folders behind "--" if there is one.
func cutArguments(args []string) (flags []string, folders map[string]bool, chosen bool) {
	at := slices.Index(args, "--")
	if at < 0 {
		return args, nil, false
	}
	folders = map[string]bool{}
	for _, folder := range args[at+1:] {
		folders[filepath.Clean(folder)] = true
	}
	return args[:at], folders, true
}

func isModule(folder string) bool {
	_, err := os.Stat(filepath.Join(folder, "go.mod"))
	return err == nil
}

// function contains the names that one function of a test file refers to, and whether it is
// larger without -short.
type function struct {
	uses   map[string]bool
	larger bool
}

// largerTests returns the tests in the files of one package that are larger without -short.
func largerTests(files []string) (tests []string) {
	all := map[string]*function{}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			log.Fatal(err)
		}
		tagged := hasHeavyTag(file)
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				name := f.Name.Name
				if f.Recv != nil {
					name = "." + name
				}
				all[name] = mergeMethods(all[name], readFunction(f, tagged))
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for _, f := range all {
			for used := range f.uses {
				if other := all[used]; !f.larger && other != nil && other.larger {
					f.larger, changed = true, true
				}
			}
		}
	}
	for name, f := range all {
		if f.larger && strings.HasPrefix(name, "Test") {
			tests = append(tests, name)
		}
	}
	return tests
}

// mergeMethods joins methods of one name.
func mergeMethods(a, b *function) *function {
	if a != nil {
		maps.Copy(b.uses, a.uses)
		b.larger = b.larger || a.larger
	}
	return b
}

// asksShort are the functions that depend on -short.
var asksShort = map[string]bool{"testing.Short": true, "chance.Sized": true}

func readFunction(f *ast.FuncDecl, tagged bool) *function {
	is := &function{uses: map[string]bool{}, larger: tagged && strings.HasPrefix(f.Name.Name, "Test")}
	ast.Inspect(f, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		for _, e := range append([]ast.Expr{call.Fun}, call.Args...) {
			switch e := e.(type) {
			case *ast.Ident:
				is.uses[e.Name] = true
			case *ast.SelectorExpr:
				is.uses["."+e.Sel.Name] = true
				from, _ := e.X.(*ast.Ident)
				is.larger = is.larger || from != nil && (from.Name == "rapid" || asksShort[from.Name+"."+e.Sel.Name])
			}
		}
		return true
	})
	return is
}

func hasHeavyTag(file *ast.File) bool {
	for _, group := range file.Comments {
		for _, c := range group.List {
			if expr, err := constraint.Parse(c.Text); err == nil && strings.Contains(expr.String(), "heavy") {
				return group.Pos() < file.Package
			}
		}
	}
	return false
}
