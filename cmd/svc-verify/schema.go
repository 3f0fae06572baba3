package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/schemas"
)

func printSchema(c *invocation) *reply {
	if len(c.Args) == 0 {
		return &reply{text: strings.Join(schemas.Names(), "\n") + "\n"}
	}
	text, err := schemas.Source(c.Args[0])
	refuseIf(err != nil, "%s", noSchema(c.Args[0]))
	return &reply{text: string(text)}
}

// noSchema is the message for a name without a schema.
func noSchema(name string) string {
	return fmt.Sprintf("there is no schema %s; the schemas are %s", safetext.Quote(name),
		strings.Join(schemas.Names(), ", "))
}

// validateDocuments validates the documents of files against their schemas.
func validateDocuments(c *invocation) *reply {
	name := c.Text("schema")
	refuseIf(c.Given("schema") && !slices.Contains(schemas.Names(), name), "%s", noSchema(name))
	c.requirePaths(c.Args)
	var files []*schemas.File
	for _, path := range c.Args {
		f, err := schemas.ExamineFile(path, name, c.readEvidence(path, schemas.MaxFile))
		if err != nil {
			stopOn(readFault(path, err))
		}
		files = append(files, f)
	}
	r := schemas.NewReport(files)
	code := map[schemas.Verdict]int{schemas.Invalid: exitRejected, schemas.Unrecognised: exitInconclusive}[r.Verdict]
	return &reply{code: code, json: r, doc: r.Document}
}
