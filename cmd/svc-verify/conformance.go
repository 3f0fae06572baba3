package main

import (
	"fmt"

	"github.com/svc-edge/svc-verify/fixtures"
	"github.com/svc-edge/svc-verify/fixtures/kit"
	"github.com/svc-edge/svc-verify/internal/progress"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/trust"
)

// exportConformance writes the embedded cases as an archive.
func exportConformance(c *invocation) *reply {
	return writeCorpus(c, c.Args[0], mustHave(kit.EmbeddedArchive()))
}

// mutateConformance writes damaged copies of the embedded whole cases as an archive.
func mutateConformance(c *invocation) *reply {
	cases := mustHave(kit.MakeMutants(uint64(c.Number("seed")), c.Number("count"))) //nolint:gosec // not negative
	return writeCorpus(c, c.Text("out"), mustHave(kit.MakeArchive(&kit.Corpus{Cases: cases})))
}

// writeCorpus writes an archive of cases, and answers with its digest.
func writeCorpus(c *invocation, name string, archive []byte) *reply {
	corpus := mustHave(kit.ReadCorpus(archive))
	c.writeBytes(name, archive)
	return &reply{text: fmt.Sprintf("cases          %d\ncorpus sha256  %s\n", len(corpus.Cases), corpus.SHA256)}
}

// runConformance runs a verifier over conformance cases, and answers with its mistakes.
func runConformance(c *invocation) *reply {
	o := kit.Options{Level: kit.Level(c.Text("level")), Jobs: c.jobsOf(), Timeout: c.Duration("time-limit"),
		TempDir: c.Text("temp-dir")}
	if c.Given("entrypoint") {
		words, err := kit.SplitCommand(c.Text("entrypoint"))
		refuseIf(err != nil, "--entrypoint: %v", err)
		o.Entrypoint = words
	}
	corpus, m := mustHave(c.readCorpus()), c.newMeter(progress.Number)
	o.Progress = func(done int64) {
		m.Show(progress.Done{Doing: "cases", Read: done, Of: int64(len(corpus.Cases) + len(corpus.Collections))})
	}
	tally, err := kit.RunCorpus(c.interruptContext(), corpus, o)
	stopInterrupted(err, ": not every case was run")
	return &reply{code: exitCode(tally.Verdict), json: tally, doc: tally.Document}
}

// readCorpus reads the cases of --corpus or, without it, those that are embedded.
func (c *invocation) readCorpus() (*kit.Corpus, error) {
	if !c.Given("corpus") {
		return kit.ReadCorpus(mustHave(kit.EmbeddedArchive()))
	}
	name := c.Text("corpus")
	corpus, err := kit.ReadCorpus(c.readFile(name, kit.MaxArchive))
	if err != nil {
		return nil, readFault(name, err)
	}
	return corpus, nil
}

// sceneKeys returns the keys of the embedded scenes. They are made from a seed
// that everyone knows.
func sceneKeys() map[trust.PublicKey]string {
	cases := mustHave(fixtures.Cases())
	known := map[trust.PublicKey]string{}
	for _, c := range cases {
		root, err := trust.Parse(c.Trust)
		if err != nil {
			continue // a trust file that must be refused
		}
		for _, role := range trust.Roles {
			for _, k := range root.Keys(role) {
				known[k.Public] = "that of " + safetext.Quote(k.ID) + " in the demonstration scenes"
			}
		}
	}
	return known
}
