package shapes

import (
	"archive/zip"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/svc-edge/svc-verify/harness/seal"
)

// loadShapes reads the shapes of a folder, by name.
func loadShapes(fsys fs.FS, root string) ([]Shape, error) {
	paths, err := fs.Glob(fsys, root+"/*/*.txtar")
	all := make([]Shape, len(paths))
	for i, path := range paths {
		text, readErr := fs.ReadFile(fsys, path)
		s, parseErr := parseShape(path, text)
		s.Name = strings.TrimSuffix(strings.TrimPrefix(path, root+"/"), ".txtar")
		all[i], err = s, errors.Join(err, readErr, parseErr)
	}
	slices.SortFunc(all, func(a, b Shape) int { return strings.Compare(a.Name, b.Name) })
	return all, err
}

// form is how the files of a shape are written.
type form struct {
	sections []section
	file     string             // the name of the archive of all sections; "" for none
	through  *template.Template // may be nil
}

// section is a file, or one of an archive.
type section struct {
	name string
	text *template.Template
}

// parseShape reads the file of a shape.
func parseShape(path string, text []byte) (Shape, error) {
	s, f, archive := Shape{}, form{}, txtar.Parse(text)
	header := string(archive.Comment)
	for i, line := range strings.Split(strings.TrimRight(header, "\n"), "\n") {
		if err := f.readHeader(&s, line); err != nil {
			return s, fmt.Errorf("%s:%d: %q: %w", path, i+1, line, err)
		}
	}
	at := strings.Count(header, "\n") + 1
	for _, file := range archive.Files {
		t, err := parseTemplate(path, at, strings.TrimSuffix(string(file.Data), "\n"))
		if err != nil {
			return s, err
		}
		f.sections = append(f.sections, section{file.Name, t})
		at += strings.Count(string(file.Data), "\n") + 1
	}
	if s.Document == "" || s.Export == "" || s.Keeps == 0 || len(f.sections) == 0 {
		return s, fmt.Errorf("%s:1: expected document, export, keeps and a section", path)
	}
	s.Write = f.writeFiles
	return s, nil
}

// parseTemplate parses a template that follows so many lines of a file.
func parseTemplate(path string, lines int, text string) (*template.Template, error) {
	return template.New(path).Funcs(functions).Parse("{{/*" + strings.Repeat("\n", lines) + "*/}}" + text)
}

// readHeader reads a line of the header.
func (f *form) readHeader(s *Shape, line string) (err error) {
	key, value, _ := strings.Cut(line, ": ")
	text := map[string]*string{"document": &s.Document, "export": &s.Export, "loses": &s.Loses, "file": &f.file}[key]
	trait := map[string]*bool{"cuts": &s.Cuts, "batch": &s.Batch, "whole": &s.Whole}[key]
	switch {
	case text != nil:
		*text = value
	case trait != nil:
		*trait, err = strconv.ParseBool(value)
	case key == "keeps":
		s.Keeps = Keeps(slices.Index([]string{"octets", "values", "less"}, value) + 1)
	case key == "lost":
		s.Lost, err = lostLines(value)
	case key == "through":
		f.through, err = parseTemplate("through", 0, "{{. | "+value+"}}")
	default:
		err = errors.New("unknown key")
	}
	return err
}

// lostLines parses which lines a product loses.
func lostLines(rule string) (func([]byte) bool, error) {
	if rule == "beyond ascii" {
		return func(line []byte) bool { return formatOctets(".", string(line)) != string(line) }, nil
	}
	size, err := strconv.Atoi(strings.TrimPrefix(rule, "above "))
	return func(line []byte) bool { return len(line) > size }, err
}

// writeFiles writes the files of a shape.
func (f form) writeFiles(l Log) Files {
	all := l.logRecords()
	var parts []string
	for _, s := range f.sections {
		parts = append(parts, s.name, renderRecords(s.text, all))
	}
	if f.file != "" {
		parts = []string{f.file, packZip(zip.Deflate, parts)}
	}
	files := Files{}
	for ; len(parts) > 0; parts = parts[2:] {
		if f.through != nil {
			parts[1] = renderRecords(f.through, parts[1])
		}
		files[parts[0]] = []byte(parts[1])
	}
	return files
}

func renderRecords(t *template.Template, dot any) string {
	var out strings.Builder
	seal.Do(t.Execute(&out, dot))
	return out.String()
}
