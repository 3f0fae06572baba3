//go:build heavy && linux

package confined

import "testing"

// TestManyMutants: 1,500 damaged files of each format.
func TestManyMutants(t *testing.T) { readMutants(t, 1_500) }
