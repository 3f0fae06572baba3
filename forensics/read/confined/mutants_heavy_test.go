//go:build heavy && linux

package confined

import "testing"

// TestManyMutants: 5,000 damaged files of each format.
func TestManyMutants(t *testing.T) { readMutants(t, 5_000) }
