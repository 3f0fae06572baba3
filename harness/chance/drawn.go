package chance

import (
	"math/rand/v2"
	"os"
	"strconv"
)

// Drawn returns the seed of a test that draws what it tries, below 2^63. It is the
// number in the environment variable RAPID_SEED, which property tests read too, or
// another one each time. The test prints it.
func Drawn() uint64 {
	if seed, err := strconv.ParseUint(os.Getenv("RAPID_SEED"), 10, 63); err == nil && seed != 0 {
		return seed
	}
	return rand.Uint64() >> 1
}
