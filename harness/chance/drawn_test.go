package chance

import "testing"

// TestDrawn: the environment decides the seed, and chance does without it.
func TestDrawn(t *testing.T) {
	t.Setenv("RAPID_SEED", "17")
	if seed := Drawn(); seed != 17 {
		t.Errorf("seed %d, want 17", seed)
	}
	for _, none := range []string{"", "0", "x", "18446744073709551615"} {
		t.Setenv("RAPID_SEED", none)
		if a, b := Drawn(), Drawn(); a == b {
			t.Errorf("RAPID_SEED=%q: drawn twice: %d", none, a)
		}
	}
}
