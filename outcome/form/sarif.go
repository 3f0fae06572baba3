package form

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/finding"
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

// object is an object of SARIF; section 3 of the standard describes the members.
type object = map[string]any

// results are the results of a file, as there is room for them.
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
	list, err := gatherItems(r, mostResults)
	if err != nil {
		return err
	}
	o.evidence = list.evidence
	rs := &results{options: o, indexes: map[string]int{}, seen: map[string]int{}}
	all, deciding := ofRun(&r.Run), list.decidingRows()
	// The deciding problem of each item comes before the other problems of any.
	ofRunOctets := 0
	for _, one := range worstFirst(all[:min(len(all), problemShare(mostResults, len(deciding)))], deciding) {
		before := rs.octets
		if one.more = 0; one.item != nil || ofRunOctets < mostResultsOctets/2 {
			rs.addResult(one)
		}
		if one.item == nil {
			ofRunOctets += rs.octets - before
		}
	}
	for _, one := range deciding {
		for _, one := range one.item.problemRows()[1:] {
			rs.addResult(one)
		}
	}
	left := int64(len(all)) + list.problems - int64(len(rs.all))
	return rs.writeDocument(w, rs.wholeLog(&r.Run, left, &list))
}

// writeDocument writes the document with one result a line.
func (rs *results) writeDocument(w io.Writer, log object) error {
	doc, err := safetext.Marshal(log)
	if err != nil {
		return err
	}
	before, after, _ := bytes.Cut(doc, []byte(`"results":[]`)) // no text has a quote as it is
	all := bytes.Join(rs.all, []byte(",\n"))
	_, err = fmt.Fprintf(w, "%s\"results\":[\n%s\n]%s\n", before, all, after)
	return err
}

// addResult adds a result, unless there is no room for it.
func (rs *results) addResult(one row) {
	if rs.full {
		return
	}
	rule, known := rs.indexes[one.kind()]
	if !known {
		rule = len(rs.rules)
	}
	doc, err := safetext.Marshal(rs.resultOf(one, rule))
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

func (rs *results) resultOf(one row, rule int) object {
	fingerprint := rs.problemFingerprint(one)
	location := object{"physicalLocation": object{"artifactLocation": object{"uri": rs.options.uriOf(one.Place.File)},
		"region": object{"startLine": max(1, one.Place.Line)}}}
	if all := logicalPlace(one); len(all) > 0 {
		location["logicalLocations"] = all
	}
	return object{
		"ruleId": one.kind(), "ruleIndex": rule, "level": sarifLevel(one.Class), "message": message(one.said()),
		"locations": []object{location},
		// The first is the only one that GitHub goes by. Without it, GitHub uses the content
		// of the line, which all entries of an archive have in common.
		"partialFingerprints": object{"primaryLocationLineHash": fingerprint, "svcVerify/v1": fingerprint},
	}
}

// problemFingerprint names the problem and its place, and nothing that differs from run to
// run. Of equal ones, those after the first are numbered.
func (rs *results) problemFingerprint(one row) string {
	file := rs.options.pathBelow(one.Place.File)
	sum := sha256.Sum256([]byte(strings.Join([]string{file, one.Place.Entry, one.kind(), one.Path, one.Subject}, "\x00")))
	key := fmt.Sprintf("%x", sum)
	rs.seen[key]++
	return fmt.Sprintf("%s:%d", key, rs.seen[key])
}

// logicalPlace is where a problem is within its file.
func logicalPlace(one row) []object {
	var all []object
	if one.Place.Entry != "" {
		all = append(all, object{"fullyQualifiedName": answer.Label(one.Place.Entry), "kind": "resource"})
	}
	if one.Path != "" {
		all = append(all, object{"fullyQualifiedName": answer.Sentence(one.Path), "kind": "value"})
	}
	return all
}

// sarifLevel is a class as SARIF weighs it.
func sarifLevel(c outcome.Class) string { return strings.Replace(loudnessOf(c), "notice", "note", 1) }

// proofNotes returns the statements of the verified evidence: results are for problems only.
func (o Options) proofNotes(list *shortlist) []object {
	var said []string
	octets := 0
	for _, one := range list.saidProofs() {
		text := one.saidProof()
		if octets += len(text); len(said) == mostProofNotes || octets > mostProofOctets {
			break
		}
		said = append(said, text)
	}
	return append(noticesOf("note", said...), noticesOf("warning",
		answer.LeftOut(o.Rest.Left(list.proven-int64(len(said)), "statements of verified evidence"))...)...)
}

// wholeLog is the whole document.
func (rs *results) wholeLog(r *outcome.Run, left int64, list *shortlist) object {
	notes := slices.Concat(noticesOf("warning", notExamined(r, "Not examined: ")...),
		noticesOf(sarifLevel(runVerdict(r)), verdictLine(r)),
		noticesOf("warning", answer.LeftOut(rs.options.Rest.Left(left, "results"))...),
		noticesOf("note", limitationTexts(r)...), rs.options.proofNotes(list))
	var rules []object
	for _, code := range rs.rules {
		rules = append(rules, ruleOf(code))
	}
	totals, driver := object{}, object{"name": "svc-verify", "informationUri": home, "rules": rules}
	for _, c := range shownCounts(r) {
		totals[c.What] = c.N
	}
	properties := object{"verdict": runVerdict(r), "counts": totals, "leftOut": left}
	if r.TrustSHA256 != "" {
		properties["trustSha256"] = answer.Sentence(r.TrustSHA256)
	}
	if rs.options.Tool != "" {
		driver["version"] = answer.Sentence(rs.options.Tool)
	}
	return object{"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": []object{{
		"tool":              object{"driver": driver},
		"invocations":       []object{{"executionSuccessful": true, "toolExecutionNotifications": notes}},
		"automationDetails": object{"id": answer.Sentence(r.Command) + "/"},
		"columnKind":        "utf16CodeUnits",
		"properties":        properties,
		"results":           []object{},
	}}}
}

// ruleOf explains a code, if it is known.
func ruleOf(code string) object {
	e, known := finding.Lookup(finding.Code(code))
	short := message(cmp.Or(e.Arises, code))
	rule := object{"id": code, "shortDescription": short, "fullDescription": short, "help": message(code)}
	if !known {
		return rule
	}
	var help []string
	for _, part := range append([]string{e.Arises, sectionText(e.Spec)}, append(e.Explanations, e.Next)...) {
		if part != "" {
			help = append(help, part)
		}
	}
	if len(help) > 0 {
		rule["help"] = message(strings.Join(help, "\n\n"))
	}
	return rule
}

func sectionText(spec string) string {
	if spec == "" {
		return ""
	}
	return "The rule is in section " + spec + " of the specification."
}

// message is safe text as SARIF wants it: a single brace would be a placeholder
// (3.11.5), and brackets before parentheses a link (3.11.6). The escape for the
// latter is not known to all viewers, so that a space parts them.
func message(text string) object {
	return object{"text": strings.NewReplacer("{", "{{", "}", "}}", "](", "] (").Replace(text)}
}

// noticesOf returns a notice for each text.
func noticesOf(level string, texts ...string) (all []object) {
	for _, text := range texts {
		all = append(all, object{"level": level, "message": message(text)})
	}
	return all
}

// uriOf is the address of a file, or else of the evidence, as a relative reference of
// RFC 3986: not absolute and never empty.
func (o Options) uriOf(file string) string {
	var b strings.Builder
	for _, c := range []byte(cmp.Or(o.pathBelow(file), o.pathBelow(o.evidence), "no file")) {
		if strings.IndexByte(unreserved, c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// unreserved contains the characters that need no escaping in a path (RFC 3986, 2.3), and the
// separator.
const unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/"
