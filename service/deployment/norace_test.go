//go:build !race

package deployment_test

var buildFlags []string

// loadGrowth is the memory that a process may gain under load, in KiB: the spine of the logs,
// and memory that the garbage collector has not freed yet.
const loadGrowth = 48 << 10
