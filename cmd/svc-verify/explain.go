package main

import (
	"strings"

	"github.com/svc-edge/svc-verify/forensics/explain"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/schemas"
)

func explainCode(c *cliapp.Context) (int, error) {
	if len(c.Args) == 0 {
		return 0, writePage(c, explain.List())
	}
	topic, ok := explain.Find(c.Args[0])
	if !ok {
		return 0, unknownCode(c.Args[0])
	}
	return 0, writePage(c, topic.Page())
}

func unknownCode(word string) error {
	hint := "svc-verify explain lists all codes"
	if codes := explain.Akin(word); len(codes) > 0 {
		hint = "did you mean " + strings.Join(codes[:min(len(codes), 8)], ", ") + "?"
	}
	return cliapp.Usagef("there is no code %s; %s", safetext.Quote(word), hint)
}

func printSchema(c *cliapp.Context) (int, error) {
	if len(c.Args) == 0 {
		_, err := c.Stdout.Write([]byte(strings.Join(schemas.Names(), "\n") + "\n"))
		return 0, err
	}
	text, err := schemas.Source(c.Args[0])
	if err != nil {
		return 0, cliapp.Usagef("there is no schema %s; the schemas are %s", safetext.Quote(c.Args[0]),
			strings.Join(schemas.Names(), ", "))
	}
	_, err = c.Stdout.Write(text)
	return 0, err
}
