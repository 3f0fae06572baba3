// Command svc-harness is the embedded deployment of the service. It plays
// scripted, seeded histories and writes the evidence that they leave.
package main

import (
	"fmt"
	"os"

	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/internal/cliapp"
)

func main() {
	os.Exit(program().Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

func program() *cliapp.Program {
	return &cliapp.Program{
		Name:        "svc-harness",
		Version:     "1.0.0",
		Summary:     "Make evidence: cloud, nodes and protected signer in one process",
		Description: "Plays a scripted history of the whole service and writes what it leaves: bundles, a trust file, the tenant log, the nodes' journals and the certificates. The same scene and seed give the same bytes every time. The keys are made from the seed, and protect nothing.",
		ExitCodes:   []cliapp.ExitCode{{Code: 0, Meaning: "done"}, {Code: cliapp.ExitFailure, Meaning: "wrong usage, or the files could not be written"}},
		Examples:    []string{"svc-harness scenes", "svc-harness scene issued --out evidence", "svc-harness scene large --events 50000 --out evidence"},
		Commands: []*cliapp.Command{
			{
				Name: "scene", Summary: "Play a scene and write its evidence", Args: "NAME", Action: playScene,
				Flags: []cliapp.Flag{
					{Name: "out", Value: "DIR", Usage: "Where to write; files of the same names are overwritten", Required: true},
					{Name: "seed", Kind: cliapp.Number, Value: "N", Default: "1", Usage: "What all keys and all chance follow from"},
					{Name: "events", Kind: cliapp.Number, Value: "N", Default: "1000000", Usage: "How long the tenant log of the large scene is"},
				},
			},
			{Name: "scenes", Summary: "List the scenes", Action: listScenes},
		},
	}
}

func playScene(c *cliapp.Context) (int, error) {
	name := c.Args[0]
	if !known(name) {
		return 0, cliapp.Usagef("no scene %q; svc-harness scenes lists them", name)
	}
	if c.Given("events") && (name != "large" || c.Number("events") == 0) {
		return 0, cliapp.Usagef("--events sets the length of the large scene, 1 or more")
	}
	options := harness.Options{Events: c.Number("events")}
	seed := uint64(c.Number("seed"))
	if _, err := harness.WriteScene(name, seed, options, c.Text("out")); err != nil {
		return 0, err
	}
	fmt.Fprintf(c.Stderr, "svc-harness: scene %s with seed %d is in %s\n", name, seed, c.Text("out"))
	return 0, nil
}

func known(name string) bool {
	for _, scene := range harness.Scenes() {
		if scene.Name == name {
			return true
		}
	}
	return false
}

func listScenes(c *cliapp.Context) (int, error) {
	for _, scene := range harness.Scenes() {
		fmt.Fprintf(c.Stdout, "%-14s %s\n", scene.Name, scene.Summary)
	}
	return 0, nil
}
