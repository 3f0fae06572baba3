//go:build race

package deploy_test

// buildFlags have the programs of a run under the race detector watched too.
var buildFlags = []string{"-race"}
