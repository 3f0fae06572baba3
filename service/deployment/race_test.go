//go:build race

package deployment_test

// buildFlags have the programs of a run under the race detector watched too.
var buildFlags = []string{"-race"}

// loadGrowth is as without the race detector, plus the memory of the detector itself.
const loadGrowth = 192 << 10
