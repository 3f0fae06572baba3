//go:build linux

package main

import "io"

// order is the order of the stages of a journal in each round: a walk follows the ingest
// that it needs, and the parts follow the whole.
var order = []string{"naive", "bare", "ingest", "walk", "again", "since", "foreign", "paired", "apart", "compared",
	"compared-again"}

// commands are the stages of a journal that are commands of svc-verify.
var commands = map[string]func(e *evidence, stage string) error{
	"ingest":         (*evidence).ingestPlain,
	"walk":           (*evidence).walk,
	"again":          (*evidence).walk,
	"since":          (*evidence).walkSince,
	"foreign":        (*evidence).walkForeign,
	"paired":         (*evidence).ingestStores,
	"apart":          func(e *evidence, stage string) error { return e.walkStores(stage, "--no-compare") },
	"compared":       func(e *evidence, stage string) error { return e.walkStores(stage) },
	"compared-again": func(e *evidence, stage string) error { return e.walkAgain(stage) },
}

// functions are the stages that are functions of this program.
var functions = map[string]func(e *evidence, m *meter) error{
	"naive":         verifyNaively,
	"bare":          verifyBare,
	"apart-bundles": verifyApart,
	"read-naive":    readNaively,
}

// runStage runs a stage, of a function in a process of its own.
func (e *evidence) runStage(stage string) error {
	if command := commands[stage]; command != nil {
		return command(e, stage)
	}
	_, err := e.measured(stage, nil)
	return err
}

var journalTable = table{
	unit: "events",
	rows: []row{
		{"naive pipeline", "naive"},
		{"bare crypto/ed25519", "bare"},
		{"ingest", "ingest"},
		{"walk", "walk"},
		{"second walk", "again"},
		{"walk since the last", "since"},
		{"walk of another's case", "foreign"},
		{"ingest of the stores", "paired"},
		{"walk of the stores", "apart"},
		{"  with comparison", "compared"},
		{"  second, with comparison", "compared-again"},
	},
	whole: []string{"ingest", "walk"},
	ratios: []ratio{
		{"naive / (ingest + walk)", []string{"naive"}, []string{"ingest", "walk"}},
		{"(ingest + walk) / bare", []string{"ingest", "walk"}, []string{"bare"}},
		{"walk / second walk", []string{"walk"}, []string{"again"}},
		{"ingest + another's walk / bare", []string{"ingest", "foreign"}, []string{"bare"}},
		{"another's walk / walk", []string{"foreign"}, []string{"walk"}},
		{"walk / walk since the last", []string{"walk"}, []string{"since"}},
		{"with comparison / without", []string{"compared"}, []string{"apart"}},
		{"with comparison / second", []string{"compared"}, []string{"compared-again"}},
	},
}

// measureJournal measures a journal and the tenant log that anchors it.
func measureJournal(e *evidence, w io.Writer) error {
	if err := e.make(); err != nil {
		return err
	}
	for e.round = range e.rounds {
		for _, stage := range e.stages {
			if err := e.runStage(stage); err != nil {
				return err
			}
		}
	}
	e.print(w, &journalTable)
	return nil
}
