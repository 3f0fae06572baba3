package main

import (
	"strings"

	"github.com/svc-edge/svc-verify/forensics/crosscheck"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// collectedOf reads --collected.
func (c *invocation) collectedOf() (all []crosscheck.Collected) {
	for _, text := range c.List("collected") {
		all = append(all, mustHave(parseCollected(text)))
	}
	return all
}

// parseCollected reads the id of a log, a time, or both.
func parseCollected(text string) (crosscheck.Collected, error) {
	id, at, timed := strings.Cut(text, "=")
	switch isLog := strings.Contains(id, "/"); {
	case isLog && !timed:
		return crosscheck.Collected{LogID: id}, nil
	case timed && !isLog:
		return crosscheck.Collected{}, cliapp.Usagef("--collected: expected the id of a log before the =, such as node/ID, "+
			"found %s", safetext.Quote(id))
	case !timed:
		id, at = "", text
	}
	t, err := cliapp.ParseTime(at)
	if err != nil {
		err = cliapp.Usagef("invalid value %q for flag --collected: %v", at, err)
	}
	return crosscheck.Collected{LogID: id, At: t.UnixMilli()}, err
}
