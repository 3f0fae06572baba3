package form

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/outcome"
)

// The limits of a JUnit file. GitLab refuses files above 30 MB, and those with more
// than 250,000 elements, attributes and texts, of which a case has at most 12.
const (
	mostCases = 5_000
	mostJUnit = 10_000_000

	mostCasesOctets = mostJUnit * 7 / 10 // the rest is for the run's own texts
)

// junit is JUnit XML as Jenkins' schema has it, which other readers share.
var junit = Form{
	Name:   "junit",
	Reader: "Jenkins, GitLab, Buildkite and other readers of test results",
	Limits: []Limit{
		{mostCases, "cases", "what Buildkite reads of a file"},
		{mostJUnit, "octets", "below the 30 MB that GitLab reads"},
	},
	Write: writeJUnit,
}

// suite is the one suite of a file, case by case.
type suite struct {
	command                 string
	cases                   bytes.Buffer
	names                   map[string]int
	tests, failures, errors int64
}

func writeJUnit(w io.Writer, r *outcome.Report, o Options) error {
	list, err := gather(r, mostCases)
	if err != nil {
		return err
	}
	s := &suite{command: strings.ReplaceAll(r.Command, " ", "."), names: map[string]int{}}
	problems := s.problems(&r.Run, &list)
	failed, passed := s.items(&list)
	left := answer.LeftOut(o.Rest.Left(problems, "problems of the run"), o.Rest.Left(failed, "items with problems"),
		o.Rest.Left(passed, "verified items"))
	_, err = w.Write(s.document(&r.Run, o, left))
	return err
}

// problems adds what is wrong with the run, and returns how much there is no room for.
func (s *suite) problems(r *outcome.Run, list *shortlist) int64 {
	all := ofRun(r)
	cases := share(mostCases-1, len(list.wrong()))
	for i, p := range all {
		if i == cases || s.cases.Len() > mostCasesOctets/2 || !s.problem(p) {
			return int64(len(all) - i)
		}
	}
	return 0
}

// items adds the items, and returns how many there is no room for.
func (s *suite) items(list *shortlist) (failed, passed int64) {
	shown := map[bool]int64{} // those that failed and the others
	for i := range list.items {
		if !s.item(&list.items[i]) {
			break
		}
		shown[list.items[i].Failed()]++
	}
	return list.failed - shown[true], list.classes[outcome.Verified] - shown[false]
}

// document is the file: what was not examined, the verdict, and then the cases.
func (s *suite) document(r *outcome.Run, o Options, left []string) []byte {
	cases := s.cases
	s.cases = bytes.Buffer{}
	s.run(r, left)
	var b bytes.Buffer
	totals := []any{"tests", s.tests, "failures", s.failures, "errors", s.errors}
	b.WriteString(xml.Header)
	open(&b, "testsuites", append([]any{"name", r.Command}, totals...)...)
	open(&b, "testsuite", append(append([]any{"name", r.Command}, totals...), "skipped", 0)...)
	open(&b, "properties")
	property := func(name string, value any) { empty(&b, "property", "name", name, "value", value) }
	for _, text := range notExamined(r) {
		property("not-examined", text)
	}
	property("verdict", verdict(r))
	for _, c := range counts(r) {
		property("count: "+c.What, c.N)
	}
	for _, text := range left {
		property("left-out", text)
	}
	for _, text := range limitations(r) {
		property("limitation", text)
	}
	property("trust-sha256", r.TrustSHA256)
	property("tool", o.Tool)
	b.WriteString("</properties>\n")
	b.Write(s.cases.Bytes())
	b.Write(cases.Bytes())
	b.WriteString("</testsuite>\n</testsuites>\n")
	return b.Bytes()
}

// run adds the case of the verdict itself: a file is never green for a run that is
// not verified, whatever it has room for.
func (s *suite) run(r *outcome.Run, left []string) {
	var all []string
	for _, text := range notExamined(r) {
		all = append(all, "Not examined: "+text)
	}
	all = append(all, headline(r))
	all = append(all, left...)
	for _, text := range limitations(r) {
		all = append(all, "Limitation: "+text)
	}
	var b bytes.Buffer
	open(&b, "testcase", "classname", s.command+".run", "name", "verdict")
	judge(&b, verdict(r), string(verdict(r)), headline(r), all)
	b.WriteString("<system-out>" + lines(all) + "</system-out>\n</testcase>\n")
	s.count(&b, verdict(r))
}

// problem adds a case for something that is wrong with the run, if there is room.
func (s *suite) problem(p row) bool {
	name := strings.TrimSpace(string(p.Code) + " " + answer.Sentence(p.Message))
	if s.names[name]++; s.names[name] > 1 {
		name = fmt.Sprintf("%s (%d)", name, s.names[name])
	}
	var b bytes.Buffer
	open(&b, "testcase", "classname", s.command+".run", "name", name)
	judge(&b, p.Class, p.kind(), p.said(), []string{p.detail()})
	b.WriteString("</testcase>\n")
	return s.add(&b, p.Class)
}

// item adds a case for an item, if there is room.
func (s *suite) item(i *entry) bool {
	var b bytes.Buffer
	open(&b, "testcase", "classname", s.command+".items", "name", answer.Label(i.Name))
	verdict := i.Verdict()
	if verdict != outcome.Verified {
		first := i.first()
		var all []string
		for _, p := range i.rows()[:min(max(1, len(i.Problems)), answer.MostDetails)] {
			all = append(all, p.detail())
		}
		if n := i.problems - len(all); n > 0 {
			all = append(all, safetext.Count(n, "more problem"))
		}
		for _, f := range i.About {
			all = append(all, f.What+": "+safetext.Quote(f.Value))
		}
		judge(&b, verdict, first.kind(), first.said(), all)
	} else if i.Proof != "" {
		b.WriteString("<system-out>" + lines([]string{answer.Sentence(i.Proof)}) + "</system-out>\n")
	}
	b.WriteString("</testcase>\n")
	return s.add(&b, verdict)
}

// add adds a case, unless it is too much for the file. The verdict has one case.
func (s *suite) add(b *bytes.Buffer, class outcome.Class) bool {
	if s.tests+2 > mostCases || s.cases.Len()+b.Len() > mostCasesOctets {
		return false
	}
	s.count(b, class)
	return true
}

func (s *suite) count(b *bytes.Buffer, class outcome.Class) {
	s.tests++
	switch element(class) {
	case "failure":
		s.failures++
	case "error":
		s.errors++
	}
	s.cases.Write(b.Bytes())
}

// element is how a class is shown. What could not be decided is an error, and not
// skipped: that would be green.
func element(class outcome.Class) string {
	switch class {
	case outcome.Verified:
		return ""
	case outcome.Rejected, outcome.NotABundle:
		return "failure"
	}
	return "error"
}

// judge writes the failure or error of a case.
func judge(b *bytes.Buffer, class outcome.Class, kind, message string, details []string) {
	if name := element(class); name != "" {
		start(b, name, "type", kind, "message", message)
		b.WriteString(">" + lines(details) + "</" + name + ">\n")
	}
}

// kind is a row's code, or its class if it has none.
func (r row) kind() string {
	return cmp.Or(string(r.Code), r.word)
}

// detail is a row with its place.
func (r row) detail() string {
	text := r.title() + ": " + answer.Sentence(r.Message)
	if r.pointed() {
		text += "\n  at " + answer.Sentence(r.Path)
	}
	if place := where(r.Place); place != "" {
		text += "\n  in " + place
	}
	return text
}

// lines are texts as the content of an element, each safe by itself.
func lines(all []string) string {
	var b strings.Builder
	for _, text := range all {
		for line := range strings.SplitSeq(text, "\n") {
			b.WriteString("\n" + escapeXML(safetext.Line(line)))
		}
	}
	return b.String() + "\n"
}

func escapeXML(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a builder takes everything
	return b.String()
}

// start begins an element with names and values of attributes. Values are safe text
// or become so.
func start(b *bytes.Buffer, element string, attributes ...any) {
	b.WriteString("<" + element)
	for i := 0; i+1 < len(attributes); i += 2 {
		fmt.Fprintf(b, " %s=\"%s\"", attributes[i], escapeXML(safetext.Line(fmt.Sprint(attributes[i+1]))))
	}
}

func open(b *bytes.Buffer, element string, attributes ...any) {
	start(b, element, attributes...)
	b.WriteString(">\n")
}

func empty(b *bytes.Buffer, element string, attributes ...any) {
	start(b, element, attributes...)
	b.WriteString("/>\n")
}
