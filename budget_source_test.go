package house_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"unicode/utf8"
)

// markers are words that have a plainer one.
var markers = regexp.MustCompile(`(?i)\b(whoever|nobody|somebody|anybody|of which|those of|that of|stands|at hand|beside|` +
	`says|tells|told|takes|errs|is asked for|by its nature|to begin with|goes (on|along)|becomes of|held against|` +
	`(is|are) worth|(nil|empty|zero) for (none|nobody)|what (is|are|was|it|the|there|they|its)|octets?)\b`)

// countGo counts a file of Go.
func (c *counter) countGo(name string, text []byte) error {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	if ast.IsGenerated(file) {
		return nil
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if len(lines) > 300 {
		c.addPlace(longFiles, fmt.Sprintf("%s: %d", name, len(lines)))
	}
	for i, line := range lines {
		if utf8.RuneCountInString(line) > 120 {
			c.addPlace(longLines, fmt.Sprintf("%s:%d", name, i+1))
		}
	}
	for _, group := range file.Comments {
		c.addMarkers(commentMarkers, files.Position(group.Pos()).String(), group.Text())
	}
	if strings.HasSuffix(name, "_test.go") {
		return nil
	}
	tokens, code := countTokens(text)
	c.addFigure(name, "tokens", tokens)
	c.addFigure(name, "lines", code)
	p := c.packageOf(name)
	p.main = file.Name.Name == "main"
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			c.countFunc(name, p, d, files)
		case *ast.GenDecl:
			p.countDecl(d)
		}
	}
	return c.countEmbedded(name, file)
}

// addMarkers counts the marker words of a comment or a document. The specification alone
// speaks of octets.
func (c *counter) addMarkers(row, place, text string) {
	for _, word := range markers.FindAllString(text, -1) {
		if path.Base(place) != "spec.md" || !strings.HasPrefix(strings.ToLower(word), "octet") {
			c.addPlace(row, place+": "+word)
		}
	}
}

// countTokens returns the tokens of a file and the lines that have one, without comments
// and without the semicolons that the scanner adds.
func countTokens(text []byte) (tokens, lines int) {
	file := token.NewFileSet().AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, text, nil, 0)
	for last := 0; ; {
		pos, tok, lit := s.Scan()
		switch {
		case tok == token.EOF:
			return tokens, lines
		case tok == token.SEMICOLON && lit == "\n":
			continue
		}
		tokens++
		first := file.Line(pos)
		end := first + strings.Count(lit, "\n")
		lines += end - max(first-1, last)
		last = end
	}
}

func (c *counter) countFunc(name string, p *pkg, f *ast.FuncDecl, files *token.FileSet) {
	start, end := files.Position(f.Pos()), files.Position(f.End())
	if n := end.Line - start.Line + 1; n > 60 {
		c.addPlace(longFunctions, fmt.Sprintf("%s: %s: %d", name, f.Name.Name, n))
	}
	if word := f.Name.Name; oneWord(word) {
		c.words[word] = append(c.words[word], place{path.Dir(name), word})
	}
	switch {
	case f.Recv != nil:
		p.methods[receiver(f.Recv.List[0].Type)]++
	case f.Name.IsExported():
		p.exported++
	}
}

// receiver returns the name of the type that a method is of.
func receiver(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.StarExpr:
		return receiver(x.X)
	case *ast.IndexExpr:
		return receiver(x.X)
	case *ast.IndexListExpr:
		return receiver(x.X)
	case *ast.Ident:
		return x.Name
	}
	return ""
}

// countDecl counts exported names, and the methods of interfaces.
func (p *pkg) countDecl(d *ast.GenDecl) {
	for _, s := range d.Specs {
		switch s := s.(type) {
		case *ast.ValueSpec:
			for _, n := range s.Names {
				if n.IsExported() {
					p.exported++
				}
			}
		case *ast.TypeSpec:
			if s.Name.IsExported() {
				p.exported++
			}
			if i, ok := s.Type.(*ast.InterfaceType); ok {
				p.methods[s.Name.Name] += i.Methods.NumFields()
			}
		}
	}
}

// countEmbedded adds the bytes that a file embeds.
func (c *counter) countEmbedded(name string, file *ast.File) error {
	for _, group := range file.Comments {
		for _, comment := range group.List {
			patterns, ok := strings.CutPrefix(comment.Text, "//go:embed ")
			if !ok {
				continue
			}
			for _, pattern := range strings.Fields(patterns) {
				if err := c.countPattern(name, path.Join(path.Dir(name), pattern)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (c *counter) countPattern(name, pattern string) error {
	matches, err := fs.Glob(c.tree, pattern)
	for _, match := range matches {
		err = fs.WalkDir(c.tree, match, func(_ string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			info, err := e.Info()
			if err == nil {
				c.addFigure(name, "data", int(info.Size()))
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return err
}
