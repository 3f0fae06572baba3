package cases

import (
	"fmt"
	"slices"

	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/harness/shapes"
	"github.com/svc-edge/svc-verify/harness/tamper"
	"github.com/svc-edge/svc-verify/trust"
)

// Exam is evidence of the findings' coverage, and the part of it that an investigator is
// given.
type Exam struct {
	Scene, Script string   // the script is "" for the scene itself
	Given         []string // paths of the evidence
	Before        bool     // the same paths were given before the script too
}

func (x Exam) String() string { return fmt.Sprint(x.Scene, " ", x.Script, " ", x.Given) }

// Exams returns every case of the findings' coverage, each near miss, and every script
// of package tamper, once each.
func Exams() []Exam {
	var all []Exam
	add := func(scene, script string, given []string) {
		x := Exam{Scene: scene, Script: script, Given: given}
		if len(given) > 0 && given[0] == before {
			x.Given, x.Before = given[1:], true
		}
		if !slices.ContainsFunc(all, func(y Exam) bool { return x.String() == y.String() && x.Before == y.Before }) {
			all = append(all, x)
		}
	}
	add(fleet.Scene, "", with(collected, "stores"))
	for _, x := range codeFixtures() {
		exam, near := x.examOf(), x.nearExam()
		add(exam.scene, x.by, exam.given)
		add(near.scene, x.near, near.given)
	}
	for _, s := range tamper.Scripts() {
		add(fleet.Scene, s.Name, givenOf(s.Name))
	}
	return all
}

// Handed is a journal as a product hands it out, with the anchor of its log. One of its events
// was altered.
type Handed struct {
	Name   string
	Files  shapes.Files
	Cursor []byte
	Root   *trust.Root
}

// Handouts returns a journal in every form of package shapes.
func Handouts() ([]Handed, error) {
	var all []Handed
	for _, s := range shapes.All() {
		h, err := historyIn(s)
		if err != nil {
			return nil, err
		}
		altered := alterEvent(h.handedOut(), uint64(len(h.lines)/2))
		all = append(all, Handed{s.Name, s.Write(altered), h.cursor, h.root})
	}
	return all, nil
}

// Lines returns the lines of a short journal that no one altered, its batch id, the cursor
// of its last event, and the trust file.
func Lines() (lines [][]byte, batch string, cursor []byte, root *trust.Root, err error) {
	h, err := shortHistory()
	if err != nil {
		return nil, "", nil, nil, err
	}
	return h.lines, h.batch, h.cursor, h.root, nil
}

// givenOf returns the paths that an investigator is given after a script, as the fixtures
// state.
func givenOf(script string) []string {
	switch script {
	case "sample-at-store":
		return loki
	case "lose-octet": // the store alone: next to the genuine event it is only an information
		return with(exported, "stores/elasticsearch/bodymap.jsonl")
	}
	for _, x := range codeFixtures() {
		switch {
		case x.by == script && !slices.Equal(x.given, bothOf(collected)):
			return x.given
		case x.near == script && x.nearGiven != nil:
			return x.nearGiven
		case x.near == script:
			return x.given
		}
	}
	return collected
}
