package form

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/internal/access"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/outcome"
)

// Settings contains everything that the reports of a run depend on besides the flag.
type Settings struct {
	Inputs []string // the input of the run: no report may replace it
	Stdout io.Writer
	Stderr io.Writer // for forms that have no file
}

// Reports are the requested reports of a run. Each file is put into its place when all of them
// are whole: see [Reports.Commit].
type Reports struct {
	all    []report
	stderr io.Writer
}

// report is one value of --report.
type report struct {
	Form
	name string            // of the file, as it was given; "" for standard error
	path string            // of the file, behind links
	file *access.AsideFile // nil for standard error
}

// Open reads the values of --report, each FORM=FILE, and begins the files. A value
// that cannot be meant is wrong usage. The caller calls Discard in the end.
func Open(values []string, s Settings) (*Reports, error) {
	r := &Reports{stderr: s.Stderr}
	for _, value := range values {
		one, err := parseReport(value)
		if err == nil && one.name != "" {
			one.path, err = r.resolvePlace(value, one.name, s)
		}
		if err != nil {
			return nil, err
		}
		r.all = append(r.all, one)
	}
	for i := range r.all {
		one := &r.all[i]
		if one.name == "" {
			continue
		}
		file, err := access.OpenAside(one.name)
		if err != nil {
			r.Discard()
			return nil, err
		}
		one.file = file
	}
	return r, nil
}

// parseReport splits a value into its form and the name of its file.
func parseReport(value string) (report, error) {
	form, name, given := strings.Cut(value, "=")
	found, known := Lookup(form)
	switch {
	case !known:
		names := formNames()
		return report{}, cliapp.Usagef("--report %s: there is no form %s; the forms are %s%s", safetext.Quote(value),
			safetext.Quote(form), strings.Join(names, ", "), cliapp.DidYouMean(form, names))
	case found.Stream && given:
		return report{}, cliapp.Usagef("--report %s: the form takes no file, as it goes to standard error; "+
			"write --report %s", safetext.Quote(value), form)
	case found.Stream:
		return report{Form: found}, nil
	case name == "":
		return report{}, cliapp.Usagef("--report %s: the file is missing; write --report %s=FILE",
			safetext.Quote(value), form)
	case name == "-":
		return report{}, cliapp.Usagef("--report %s: a report is a file, as standard output has the result; "+
			"write --report %s=FILE", safetext.Quote(value), form)
	}
	return report{Form: found, name: name}, nil
}

// formNames returns the names of all forms.
func formNames() []string {
	var all []string
	for _, f := range allForms() {
		all = append(all, f.Name)
	}
	return all
}

// resolvePlace resolves the name of a file, which must be no other report's, no input and
// not standard output.
func (r *Reports) resolvePlace(value, name string, s Settings) (string, error) {
	path := absolutePath(name)
	same := func(other string) bool {
		info, err := os.Stat(other)
		return other == path || err == nil && info.Mode().IsRegular() && isAt(path, info)
	}
	for _, one := range r.all {
		if one.name != "" && same(one.path) {
			return "", cliapp.Usagef("--report %s: another report is written to this file; give each a file of its own",
				safetext.Quote(value))
		}
	}
	for _, input := range s.Inputs {
		if same(absolutePath(input)) {
			return "", cliapp.Usagef("--report %s: the file is an input, %s, and would be replaced; give another file",
				safetext.Quote(value), safetext.Quote(input))
		}
	}
	if stdout, isFile := s.Stdout.(*os.File); isFile {
		if info, err := stdout.Stat(); err == nil && isAt(path, info) {
			return "", cliapp.Usagef("--report %s: the file is standard output, which has the result; give another file",
				safetext.Quote(value))
		}
	}
	return path, nil
}

// absolutePath returns the absolute path of a file, behind links. A file that does not
// exist is resolved by its folder.
func absolutePath(name string) string {
	path, err := filepath.Abs(name)
	if err != nil {
		return name
	}
	if whole, err := filepath.EvalSymlinks(path); err == nil {
		return whole
	}
	if folder, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		return filepath.Join(folder, filepath.Base(path))
	}
	return path
}

// isAt reports whether a file is the one at a path.
func isAt(path string, file fs.FileInfo) bool {
	there, err := os.Stat(path)
	return err == nil && os.SameFile(there, file)
}

// Owns reports whether a file is one of the reports, or the temporary file of one: a run over
// their folder leaves them out, and reports that.
func (r *Reports) Owns(info fs.FileInfo) bool {
	return slices.ContainsFunc(r.begunFiles(), func(file *access.AsideFile) bool { return file.Is(info) })
}

// Write writes all reports. An error names the file.
func (r *Reports) Write(report *outcome.Report, o Options) error {
	o.Rest = r.unlimitedPlace()
	for _, one := range r.all {
		w := r.stderr
		if one.file != nil {
			w = one.file
		}
		if err := one.Form.Write(w, report, o); err != nil {
			return err
		}
	}
	return nil
}

// unlimitedPlace is where nothing is left out.
func (r *Reports) unlimitedPlace() answer.Rest {
	for _, one := range r.all {
		if one.Name == jsonLines.Name {
			return answer.Rest{File: one.name}
		}
	}
	return answer.Rest{Command: "--report " + jsonLines.Name + "=FILE"}
}

// Commit brings all reports to the disk and then puts them into their places. An
// error names the file.
func (r *Reports) Commit() error {
	var errs []error
	for _, file := range r.begunFiles() {
		if err := file.Finish(); err != nil {
			return err
		}
	}
	for _, file := range r.begunFiles() {
		errs = append(errs, file.Commit())
	}
	return errors.Join(errs...)
}

// Discard removes the files that were not committed.
func (r *Reports) Discard() {
	for _, file := range r.begunFiles() {
		file.Discard()
	}
}

// begunFiles returns the files that were begun.
func (r *Reports) begunFiles() (all []*access.AsideFile) {
	for _, one := range r.all {
		if one.file != nil {
			all = append(all, one.file)
		}
	}
	return all
}
