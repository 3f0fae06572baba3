package form

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"io"
	"strings"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/outcome"
)

// The limits of a SARIF file for GitHub, which shows 5,000 results, refuses a file
// with more than 25,000, and one of more than 10 MB.
const (
	mostResults = 5_000
	mostSARIF   = 10_000_000

	mostResultsOctets = mostSARIF * 7 / 10 // the rest is for the rules and the run's own texts
	mostProofNotes    = 1_000
	mostProofOctets   = 500_000
)

// sarif is SARIF 2.1.0. Each problem is a result, and each code that occurs a rule.
var sarif = Form{
	Name:   "sarif",
	Reader: "GitHub code scanning, and viewers of SARIF 2.1.0",
	Limits: []Limit{
		{mostResults, "results", "what GitHub shows of a run"},
		{mostSARIF, "octets", "what GitHub takes"},
	},
	Write: writeSARIF,
}

// home is where people learn about the program.
const home = "https://github.com/svc-edge/svc-verify"

// results are those of a file, as there is room for them.
type results struct {
	options Options
	all     [][]byte
	octets  int
	rules   []string
	indexes map[string]int
	seen    map[string]int // fingerprints
	full    bool
}

func writeSARIF(w io.Writer, r *outcome.Report, o Options) error {
	list, err := gather(r, mostResults)
	if err != nil {
		return err
	}
	o.evidence = list.evidence
	rs := &results{options: o, indexes: map[string]int{}, seen: map[string]int{}}
	all, wrong := ofRun(&r.Run), list.wrong()
	for i, one := range all {
		if i < share(mostResults, len(wrong)) && rs.octets < mostResultsOctets/2 {
			rs.add(one)
		}
	}
	// What decides about an item comes before what else is wrong with others.
	for i := range wrong {
		one := wrong[i].first()
		one.more = 0
		rs.add(one)
	}
	for i := range wrong {
		for _, one := range wrong[i].rows()[1:] {
			rs.add(one)
		}
	}
	left := int64(len(all)) + list.problems - int64(len(rs.all))
	return rs.write(w, rs.log(&r.Run, left, &list))
}

// write writes the document with one result a line.
func (rs *results) write(w io.Writer, log sarifLog) error {
	doc, err := safetext.Marshal(log)
	if err != nil {
		return err
	}
	end := []byte("]}]}") // results are the last member
	if _, err := w.Write(bytes.TrimSuffix(doc, end)); err != nil {
		return err
	}
	for i, result := range rs.all {
		separator := ",\n"
		if i == 0 {
			separator = "\n"
		}
		if _, err := io.WriteString(w, separator+string(result)); err != nil {
			return err
		}
	}
	_, err = io.WriteString(w, "\n"+string(end)+"\n")
	return err
}

// add adds a result, unless there is no room for it.
func (rs *results) add(one row) {
	if rs.full {
		return
	}
	rule, known := rs.indexes[one.kind()]
	if !known {
		rule = len(rs.rules)
	}
	doc, err := safetext.Marshal(rs.result(one, rule))
	if len(rs.all) >= mostResults || rs.octets+len(doc) > mostResultsOctets || err != nil {
		rs.full = true
		return
	}
	if !known {
		rs.rules, rs.indexes[one.kind()] = append(rs.rules, one.kind()), rule
	}
	rs.octets += len(doc) + len(",\n")
	rs.all = append(rs.all, doc)
}

func (rs *results) result(one row, rule int) sarifResult {
	fingerprint := rs.fingerprint(one)
	return sarifResult{
		RuleID: one.kind(), RuleIndex: rule, Level: sarifLevel(one.class), Message: message(one.said()),
		Locations: []sarifLocation{{
			Physical: sarifPhysical{sarifArtifact{rs.options.uri(one.place.File)},
				sarifRegion{max(1, one.place.Line)}},
			Logical: logical(one),
		}},
		// The first is the only one that GitHub goes by. Without it, it takes the
		// content of the line, which all entries of an archive have in common.
		Fingerprints: map[string]string{"primaryLocationLineHash": fingerprint, "svcVerify/v1": fingerprint},
	}
}

// fingerprint names what is wrong and where, and nothing that differs from run to
// run. Of equal ones, those after the first are numbered.
func (rs *results) fingerprint(one row) string {
	file := rs.options.address(one.place.File)
	sum := sha256.Sum256([]byte(strings.Join([]string{file, one.place.Entry, one.kind(), one.path, one.subject}, "\x00")))
	key := fmt.Sprintf("%x", sum)
	rs.seen[key]++
	return fmt.Sprintf("%s:%d", key, rs.seen[key])
}

// logical is where a problem is within its file.
func logical(one row) []sarifLogical {
	var all []sarifLogical
	if one.place.Entry != "" {
		all = append(all, sarifLogical{answer.Label(one.place.Entry), "resource"})
	}
	if one.path != "" {
		all = append(all, sarifLogical{answer.Sentence(one.path), "value"})
	}
	return all
}

// sarifLevel is a class as SARIF weighs it.
func sarifLevel(c outcome.Class) string { return strings.Replace(level(c), "notice", "note", 1) }

// proofNotes are what the verified evidence says: results are only what is wrong.
func (o Options) proofNotes(list *shortlist) []sarifNotification {
	var notes []sarifNotification
	octets := 0
	for _, one := range list.proofs() {
		text := one.saidProof()
		if octets += len(text); len(notes) == mostProofNotes || octets > mostProofOctets {
			break
		}
		notes = append(notes, sarifNotification{"note", message(text)})
	}
	for _, text := range answer.LeftOut(o.Rest.Left(list.proven-int64(len(notes)), "statements of verified evidence")) {
		notes = append(notes, sarifNotification{"warning", message(text)})
	}
	return notes
}

// log is the whole document.
func (rs *results) log(r *outcome.Run, left int64, list *shortlist) sarifLog {
	notes := []sarifNotification{}
	for _, text := range notExamined(r) {
		notes = append(notes, sarifNotification{"warning", message("Not examined: " + text)})
	}
	notes = append(notes, sarifNotification{sarifLevel(verdict(r)), message(headline(r))})
	for _, text := range answer.LeftOut(rs.options.Rest.Left(left, "results")) {
		notes = append(notes, sarifNotification{"warning", message(text)})
	}
	for _, text := range limitations(r) {
		notes = append(notes, sarifNotification{"note", message(text)})
	}
	notes = append(notes, rs.options.proofNotes(list)...)
	rules := []sarifRule{}
	for _, code := range rs.rules {
		rules = append(rules, rs.options.rule(code))
	}
	totals := sarifTotals{string(verdict(r)), map[string]int64{}, left, answer.Sentence(r.TrustSHA256)}
	for _, c := range counts(r) {
		totals.Counts[c.What] = c.N
	}
	return sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{{
		Tool:        sarifTool{sarifDriver{"svc-verify", answer.Sentence(rs.options.Tool), home, rules}},
		Invocations: []sarifInvocation{{true, notes}},
		Automation:  sarifID{answer.Sentence(r.Command) + "/"},
		ColumnKind:  "utf16CodeUnits",
		Properties:  totals,
		Results:     []sarifResult{},
	}}}
}

// rule is what a code means.
func (o Options) rule(code string) sarifRule {
	e, known := o.explained(code)
	rule := sarifRule{ID: code, Short: message(code), Full: message(code), Help: message(code)}
	if !known {
		return rule
	}
	if e.Arises != "" {
		rule.Short, rule.Full = message(e.Arises), message(e.Arises)
	}
	var help []string
	for _, part := range append([]string{e.Arises, section(e.Spec)}, append(e.Explanations, e.Next)...) {
		if part != "" {
			help = append(help, part)
		}
	}
	if len(help) > 0 {
		rule.Help = message(strings.Join(help, "\n\n"))
	}
	return rule
}

func section(spec string) string {
	if spec == "" {
		return ""
	}
	return "The rule is in section " + spec + " of the specification."
}

// message is safe text as SARIF wants it: a single brace would be a placeholder
// (3.11.5), and brackets before parentheses a link (3.11.6). The escape for the
// latter is not known to all viewers, so that a space parts them.
func message(text string) sarifMessage {
	return sarifMessage{strings.NewReplacer("{", "{{", "}", "}}", "](", "] (").Replace(text)}
}

// uri is the address of a file, or else of the evidence, as a relative reference of
// RFC 3986: not absolute and never empty.
func (o Options) uri(file string) string {
	var b strings.Builder
	for _, c := range []byte(cmp.Or(o.address(file), o.address(o.evidence), "no file")) {
		if strings.IndexByte(unreserved, c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// unreserved is what stands in a path as it is (RFC 3986, 2.3), and what parts it.
const unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/"
