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

// The limits of a JUnit file. GitLab refuses files above 30 MB, and files with more than
// 250,000 elements, attributes and texts. A case has at most 12 of these.
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
	list, err := gatherItems(r, mostCases)
	if err != nil {
		return err
	}
	s := &suite{command: strings.ReplaceAll(r.Command, " ", "."), names: map[string]int{}}
	problems := s.addProblems(&r.Run, &list)
	failed, passed := s.addItems(&list)
	left := answer.LeftOut(o.Rest.Left(problems, "problems of the run"), o.Rest.Left(failed, "items with problems"),
		o.Rest.Left(passed, "verified items"))
	_, err = w.Write(s.writeFile(&r.Run, o, left))
	return err
}

// addProblems adds the problems of the run, and returns how many there is no room for.
func (s *suite) addProblems(r *outcome.Run, list *shortlist) int64 {
	all := ofRun(r)
	cases := problemShare(mostCases-1, len(list.wrongItems()))
	for i, p := range all {
		if i == cases || s.cases.Len() > mostCasesOctets/2 || !s.addProblem(p) {
			return int64(len(all) - i)
		}
	}
	return 0
}

// addItems adds the items, and returns how many there is no room for.
func (s *suite) addItems(list *shortlist) (failed, passed int64) {
	shown := map[bool]int64{} // those that failed and the others
	for i := range list.items {
		if !s.addItem(&list.items[i]) {
			break
		}
		shown[list.items[i].Failed()]++
	}
	return list.failed - shown[true], list.classes[outcome.Verified] - shown[false]
}

// writeFile returns the file: the unexamined evidence, the verdict, and then the cases.
func (s *suite) writeFile(r *outcome.Run, o Options, left []string) []byte {
	cases := s.cases
	s.cases = bytes.Buffer{}
	s.addRunCase(r, left)
	var b bytes.Buffer
	totals := []any{"tests", s.tests, "failures", s.failures, "errors", s.errors}
	b.WriteString(xml.Header)
	openElement(&b, "testsuites", append([]any{"name", r.Command}, totals...)...)
	openElement(&b, "testsuite", append(append([]any{"name", r.Command}, totals...), "skipped", 0)...)
	openElement(&b, "properties")
	properties := func(name string, texts ...string) {
		for _, text := range texts {
			emptyElement(&b, "property", "name", name, "value", text)
		}
	}
	properties("not-examined", notExamined(r, "")...)
	properties("verdict", string(runVerdict(r)))
	for _, c := range shownCounts(r) {
		properties("count: "+c.What, fmt.Sprint(c.N))
	}
	properties("left-out", left...)
	properties("limitation", limitationTexts(r)...)
	properties("trust-sha256", r.TrustSHA256)
	properties("tool", o.Tool)
	b.WriteString("</properties>\n")
	b.Write(s.cases.Bytes())
	b.Write(cases.Bytes())
	b.WriteString("</testsuite>\n</testsuites>\n")
	return b.Bytes()
}

// addRunCase adds the case of the verdict itself: a file is never green for a run that is
// not verified, whatever it has room for.
func (s *suite) addRunCase(r *outcome.Run, left []string) {
	all := append(append(notExamined(r, "Not examined: "), verdictLine(r)), left...)
	for _, text := range limitationTexts(r) {
		all = append(all, "Limitation: "+text)
	}
	var b bytes.Buffer
	openElement(&b, "testcase", "classname", s.command+".run", "name", "verdict")
	writeFailure(&b, runVerdict(r), string(runVerdict(r)), verdictLine(r), all)
	b.WriteString("<system-out>" + textLines(all) + "</system-out>\n</testcase>\n")
	s.countCase(&b, runVerdict(r))
}

// addProblem adds a case for something that is wrong with the run, if there is room.
func (s *suite) addProblem(p row) bool {
	name := strings.TrimSpace(string(p.Code) + " " + answer.Sentence(p.Message))
	if s.names[name]++; s.names[name] > 1 {
		name = fmt.Sprintf("%s (%d)", name, s.names[name])
	}
	var b bytes.Buffer
	openElement(&b, "testcase", "classname", s.command+".run", "name", name)
	writeFailure(&b, p.Class, p.kind(), p.said(), []string{p.detailWithPlace()})
	b.WriteString("</testcase>\n")
	return s.addCase(&b, p.Class)
}

// addItem adds a case for an item, if there is room.
func (s *suite) addItem(i *entry) bool {
	var b bytes.Buffer
	openElement(&b, "testcase", "classname", s.command+".items", "name", answer.Label(i.Name))
	verdict := i.Verdict()
	if verdict != outcome.Verified {
		first := i.decidingRow()
		var all []string
		for _, p := range i.problemRows()[:min(max(1, len(i.Problems)), answer.MostDetails)] {
			all = append(all, p.detailWithPlace())
		}
		if n := i.problems - len(all); n > 0 {
			all = append(all, safetext.Count(n, "more problem"))
		}
		for _, f := range i.About {
			all = append(all, f.What+": "+safetext.Quote(f.Value))
		}
		writeFailure(&b, verdict, first.kind(), first.said(), all)
	} else if i.Proof != "" {
		b.WriteString("<system-out>" + textLines([]string{answer.Sentence(i.Proof)}) + "</system-out>\n")
	}
	b.WriteString("</testcase>\n")
	return s.addCase(&b, verdict)
}

// addCase adds a case, unless it is too much for the file. The verdict has one case.
func (s *suite) addCase(b *bytes.Buffer, class outcome.Class) bool {
	if s.tests+2 > mostCases || s.cases.Len()+b.Len() > mostCasesOctets {
		return false
	}
	s.countCase(b, class)
	return true
}

func (s *suite) countCase(b *bytes.Buffer, class outcome.Class) {
	s.tests++
	switch elementOf(class) {
	case "failure":
		s.failures++
	case "error":
		s.errors++
	}
	s.cases.Write(b.Bytes())
}

// elementOf is how a class is shown. An undecided item is an error, and not skipped: that
// would be green.
func elementOf(class outcome.Class) string {
	switch class {
	case outcome.Verified:
		return ""
	case outcome.Rejected, outcome.NotABundle:
		return "failure"
	}
	return "error"
}

// writeFailure writes the failure or error of a case.
func writeFailure(b *bytes.Buffer, class outcome.Class, kind, message string, details []string) {
	if name := elementOf(class); name != "" {
		startElement(b, name, "type", kind, "message", message)
		b.WriteString(">" + textLines(details) + "</" + name + ">\n")
	}
}

// kind is a row's code, or its class if it has none.
func (r row) kind() string {
	return cmp.Or(string(r.Code), r.word)
}

// detailWithPlace is a row with its place.
func (r row) detailWithPlace() string {
	text := r.titleWithCode() + ": " + answer.Sentence(r.Message)
	if r.showsPointer() {
		text += "\n  at " + answer.Sentence(r.Path)
	}
	if place := placeText(r.Place); place != "" {
		text += "\n  in " + place
	}
	return text
}

// textLines are texts as the content of an element, each safe by itself.
func textLines(all []string) string {
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
	_ = xml.EscapeText(&b, []byte(s)) // a builder accepts everything
	return b.String()
}

// startElement begins an element with names and values of attributes. Values are safe text
// or become so.
func startElement(b *bytes.Buffer, element string, attributes ...any) {
	b.WriteString("<" + element)
	for i := 0; i+1 < len(attributes); i += 2 {
		fmt.Fprintf(b, " %s=\"%s\"", attributes[i], escapeXML(safetext.Line(fmt.Sprint(attributes[i+1]))))
	}
}

func openElement(b *bytes.Buffer, element string, attributes ...any) {
	startElement(b, element, attributes...)
	b.WriteString(">\n")
}

func emptyElement(b *bytes.Buffer, element string, attributes ...any) {
	startElement(b, element, attributes...)
	b.WriteString("/>\n")
}
