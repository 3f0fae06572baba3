package main

import (
	"strings"

	"github.com/svc-edge/svc-verify/forensics/explain"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/schemas"
)

func explainCommand() *cliapp.Command {
	return &cliapp.Command{
		Name:    "explain",
		Summary: "Explain a code: what it means, its causes, and what to do",
		Description: "Explains a code of a finding, a limitation, or a trust file. " +
			"Without CODE it lists all codes.",
		ExitCodes: []cliapp.ExitCode{{Code: exitVerified, Meaning: "done"}},
		Args:      "[CODE]",
		Flags:     []cliapp.Flag{colorFlag()},
		Examples:  []string{"svc-verify explain witness.under-quorum", "svc-verify explain"},
		Action:    explainCode,
	}
}

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

func schemaCommand() *cliapp.Command {
	return &cliapp.Command{
		Name:    "schema",
		Summary: "Print the JSON Schema of a document",
		Description: "Prints the JSON Schema (draft 2020-12) of a document. Without NAME it lists the names. " +
			"The schema common has the definitions that the others share.\n\n" +
			"Where a schema differs from the specification, the specification decides.",
		ExitCodes: []cliapp.ExitCode{{Code: exitVerified, Meaning: "done"}},
		Args:      "[NAME]",
		Examples:  []string{"svc-verify schema bundle > bundle.schema.json", "svc-verify schema"},
		Action:    printSchema,
	}
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
