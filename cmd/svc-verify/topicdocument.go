package main

import (
	"cmp"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/finding"
)

// Document shows a topic.
func (t topic) Document() *answer.Doc {
	pairs := answer.Pairs{answer.Value("found by", t.Group)}
	for _, p := range t.Pairs() {
		severity, rest, listed := strings.Cut(p[1], ",")
		if listed && slices.Contains(finding.Severities(), finding.Severity(severity)) {
			pairs = append(pairs, answer.Value(p[0], answer.Span{Text: severity, Style: answer.Toned,
				Tone: answer.ToneOf(severity)}, ","+rest))
			continue
		}
		pairs = append(pairs, answer.Value(p[0], p[1]))
	}
	return &answer.Doc{Title: string(t.Code), Head: []answer.Block{pairs}}
}

// topicList lists all topics under their groups.
func topicList() *answer.Doc {
	d := &answer.Doc{Title: "Every code. One of them: svc-verify explain CODE"}
	var pairs answer.Pairs
	topics := allTopics()
	for i, t := range topics {
		pairs = append(pairs, answer.Value(string(t.Code), cmp.Or(t.Arises, t.weight)))
		if i+1 == len(topics) || topics[i+1].Group != t.Group {
			d.Sections = append(d.Sections, answer.NewSection("", t.Group, pairs))
			pairs = nil
		}
	}
	return d
}
