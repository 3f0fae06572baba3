package main

import (
	"strings"

	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

func explainCode(c *invocation) *reply {
	if len(c.Args) == 0 {
		return &reply{doc: topicList}
	}
	topic, ok := findTopic(c.Args[0])
	if !ok {
		return stopWith(unknownCode(c.Args[0]))
	}
	return &reply{doc: topic.Document}
}

func unknownCode(word string) error {
	hint := "svc-verify explain lists all codes"
	if codes := akinCodes(word); len(codes) > 0 {
		hint = "did you mean " + strings.Join(codes[:min(len(codes), 8)], ", ") + "?"
	}
	return cliapp.Usagef("there is no code %s; %s", safetext.Quote(word), hint)
}
