package chance

import (
	"flag"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
)

// Drawn returns the seed of a test that draws its inputs, below 2^63. It is the number in the
// environment variable RAPID_SEED, which property tests read too, or another one each time.
// The test prints it.
func Drawn() uint64 {
	if seed, err := strconv.ParseUint(os.Getenv("RAPID_SEED"), 10, 63); err == nil && seed != 0 {
		return seed
	}
	return rand.Uint64() >> 1
}

// told reports whether the command line sets the number of inputs of a property test.
var told = sync.OnceValue(func() (is bool) {
	flag.Visit(func(f *flag.Flag) { is = is || f.Name == "rapid.checks" })
	return is
})

// Checks sets how many inputs the next property tests draw, unless the command line
// does. The command line has been parsed, and the program has property tests.
func Checks(n int) {
	if told() {
		return
	}
	if err := flag.Set("rapid.checks", strconv.Itoa(n)); err != nil {
		panic(err)
	}
}

// Sized returns how much a test tries: all of it, or few of it with -short.
func Sized(all, few int) int {
	if short := flag.Lookup("test.short"); short != nil && short.Value.String() == "true" {
		return few
	}
	return all
}
