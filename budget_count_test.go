package house_test

import (
	"fmt"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
)

// The rows over the whole tree. Lines, names and functions are of Go that is not
// generated; tests count for files, lines and comments.
const (
	largeTypes     = "types with more than 30 methods"
	widePackages   = "packages with more than 60 exported names"
	longFiles      = "files over 300 lines"
	longFunctions  = "functions over 60 lines"
	longLines      = "lines over 120 columns"
	commonNames    = "functions named by one common word"
	commentMarkers = "marker words in comments"
	textMarkers    = "marker words in documents"
	jsonSchemas    = "JSON Schemas"
)

// divided are the folders whose folders each have a row.
var divided = []string{"forensics", "internal", "service"}

// skipped are folders with built or installed files.
var skipped = []string{"bin", "demo", "node_modules"}

// common is the number of packages that make an unexported name a common one.
const common = 5

// counter adds up the figures of a tree.
type counter struct {
	tree    fs.FS
	folders map[string][]int    // by the name of the row
	totals  map[string][]string // the places, by the name of the row
	pkgs    map[string]*pkg     // by folder
	words   map[string][]place  // functions by names of one word
}

// pkg contains the declarations of all files of a package.
type pkg struct {
	methods  map[string]int // of each type
	exported int
	main     bool
}

// place is a function and the package it is in.
type place struct{ pkg, name string }

// Count returns the rows of a tree: the folders by name, then those over the whole tree.
func Count(tree fs.FS) ([]Row, error) {
	c := counter{tree, map[string][]int{}, map[string][]string{}, map[string]*pkg{}, map[string][]place{}}
	err := fs.WalkDir(tree, ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && name != "." && (strings.HasPrefix(e.Name(), ".") || slices.Contains(skipped, e.Name())):
			return fs.SkipDir
		case e.IsDir() || strings.Contains(name, "testdata/"):
			return nil
		}
		return c.countFile(name)
	})
	if err != nil {
		return nil, err
	}
	c.countPackages()
	return c.rows(), nil
}

func (c *counter) countFile(name string) error {
	switch path.Ext(name) {
	case ".go", ".md", ".json":
	default:
		return nil
	}
	if strings.HasSuffix(name, ".schema.json") {
		c.addPlace(jsonSchemas, name)
	}
	if path.Ext(name) == ".json" {
		return nil
	}
	text, err := fs.ReadFile(c.tree, name)
	if err != nil {
		return err
	}
	if path.Ext(name) == ".md" {
		c.addMarkers(textMarkers, name, string(text))
		return nil
	}
	return c.countGo(name, text)
}

// addPlace counts one more of a row over the whole tree.
func (c *counter) addPlace(row, place string) { c.totals[row] = append(c.totals[row], place) }

// addFigure adds to a figure of the folder that a file is in.
func (c *counter) addFigure(name, column string, n int) {
	folder := rowOf(name)
	if c.folders[folder] == nil {
		c.folders[folder] = make([]int, len(Columns))
	}
	c.folders[folder][slices.Index(Columns, column)] += n
}

// rowOf returns the name of the row that a file counts in.
func rowOf(name string) string {
	parts := strings.Split(path.Dir(name), "/")
	if slices.Contains(divided, parts[0]) && len(parts) > 1 {
		return parts[0] + "/" + parts[1]
	}
	return parts[0]
}

// packageOf returns the package of a file that is not a test.
func (c *counter) packageOf(name string) *pkg {
	dir := path.Dir(name)
	if c.pkgs[dir] == nil {
		c.pkgs[dir] = &pkg{methods: map[string]int{}}
		c.addFigure(name, "packages", 1)
	}
	return c.pkgs[dir]
}

// countPackages adds the rows that need all files of a package, or all packages.
func (c *counter) countPackages() {
	for dir, p := range c.pkgs {
		if p.exported > 60 && !p.main {
			c.addPlace(widePackages, fmt.Sprintf("%s: %d", dir, p.exported))
		}
		for name, n := range p.methods {
			if n > 30 {
				c.addPlace(largeTypes, fmt.Sprintf("%s.%s: %d", dir, name, n))
			}
		}
	}
	for _, uses := range c.words {
		in := map[string]bool{}
		for _, use := range uses {
			in[use.pkg] = true
		}
		if len(in) < common {
			continue
		}
		for _, use := range uses {
			c.addPlace(commonNames, use.pkg+": "+use.name)
		}
	}
}

func (c *counter) rows() (rows []Row) {
	for _, name := range slices.Sorted(maps.Keys(c.folders)) {
		rows = append(rows, Row{Name: name, Figures: c.folders[name]})
	}
	for _, name := range []string{largeTypes, widePackages, longFiles, longFunctions, longLines,
		commonNames, commentMarkers, textMarkers, jsonSchemas} {
		slices.Sort(c.totals[name])
		rows = append(rows, Row{Name: name, Figures: []int{len(c.totals[name])}, Places: c.totals[name]})
	}
	return rows
}

// oneWord reports whether a name is unexported and has one word.
func oneWord(name string) bool {
	return strings.ToLower(name) == name && !token.IsExported(name) && name != "main" && name != "init" && name != "_"
}
