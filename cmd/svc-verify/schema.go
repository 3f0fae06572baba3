package main

import (
	"strings"

	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/schemas"
)

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
		return 0, cliapp.Usagef("there is no schema %s; the schemas are %s", safetext.Quote(c.Args[0]), strings.Join(schemas.Names(), ", "))
	}
	_, err = c.Stdout.Write(text)
	return 0, err
}
