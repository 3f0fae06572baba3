//go:build !race

package deployment_test

var buildFlags []string

// loadGrowth is the memory that a process may gain under load, in KiB: the spine
// of the logs, and what a collector of garbage has not given back yet.
const loadGrowth = 48 << 10
