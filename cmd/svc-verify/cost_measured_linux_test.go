//go:build heavy

package main

import (
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/svc-edge/svc-verify/internal/must"
)

// cost is the cost of a command.
type cost struct {
	CPU    time.Duration
	Memory int64 // KiB, the most at once
	Code   int   // that the command ended with
}

func init() { programs["measured"], programs["decoded"] = measured, decoded }

// measured runs the program without its output, and prints its cost.
func measured() {
	printCost(newProgram().Run(os.Args[1:], strings.NewReader(""), io.Discard, io.Discard))
}

// decodedMiB is the size of the text that [decoded] decodes.
const decodedMiB = 4

// decoded decodes small objects by encoding/json, and prints the cost.
func decoded() {
	var v any
	must.Have(0, json.Unmarshal([]byte("["+strings.Repeat("{},", decodedMiB<<20/3)+"{}]"), &v))
	printCost(0)
}

// printCost prints the cost of this process.
func printCost(code int) {
	var used syscall.Rusage
	must.Have(0, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	status := must.Have(os.ReadFile("/proc/self/status")) // ru_maxrss has the parent's share in it
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	memory := must.Have(strconv.ParseInt(strings.Fields(rest)[0], 10, 64))
	c := cost{time.Duration(used.Utime.Nano() + used.Stime.Nano()), memory, code}
	must.Have(0, json.NewEncoder(os.Stdout).Encode(c))
}

// decoding is the CPU time of encoding/json on this machine for a MiB of small objects.
var decoding = sync.OnceValue(func() time.Duration {
	best := time.Duration(math.MaxInt64)
	for range attempts {
		command := exec.Command("decoded")
		command.Env = append(os.Environ(), "GOMAXPROCS=1")
		b, err := command.Output()
		var used cost
		must.Have(0, errors.Join(err, json.Unmarshal(b, &used)))
		best = min(best, used.CPU/decodedMiB)
	}
	return best
})
