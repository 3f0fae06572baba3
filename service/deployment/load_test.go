package deployment_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/deployment"
)

// Of TestLoad: for how long, and how many issuances are begun in a minute.
var (
	loadTime = flag.Duration("load", 10*time.Second, "for how long TestLoad issues")
	loadRate = flag.Int("rate", 1000, "how many issuances TestLoad begins in a minute")
)

// loadAtOnce is how many issuances are under way at most: a machine that cannot
// keep up has memory for more work, not for a log that grows.
const loadAtOnce = 32

// TestLoad issues certificates at a steady rate, three nodes and a collector taking part:
// every one is issued, memory does not grow with their number, and the collector ends up with
// every event. The latencies are reported, not judged.
func TestLoad(t *testing.T) {
	w := start(t, 3)
	// Everything that is made once is made before memory is measured.
	length, first := *loadTime, 50
	if testing.Short() {
		length, first = min(length, time.Second), 5
	}
	w.drive(first, 50*time.Millisecond)
	before := w.memory()
	count := max(int(length.Minutes()*float64(*loadRate)), 1)
	latencies := w.drive(count, time.Minute/time.Duration(*loadRate))
	slices.Sort(latencies)
	at := func(share float64) time.Duration {
		return latencies[min(int(share*float64(len(latencies))), len(latencies)-1)]
	}
	t.Logf("%d issuances, %d a minute: median %s, 90 %% %s, 99 %% %s, longest %s", count, *loadRate,
		at(0.5).Round(time.Millisecond), at(0.9).Round(time.Millisecond), at(0.99).Round(time.Millisecond),
		at(1).Round(time.Millisecond))
	for name, after := range w.memory() {
		t.Logf("%s: %d MiB before, %d MiB after", name, before[name]>>10, after>>10)
		check.That(t, after <= before[name]+loadGrowth, "%s grew by %d MiB", name, (after-before[name])>>10)
	}
	w.exported()
	w.collectedIsJournal()
	w.verify(w.prove(w.issue()), "issued")
}

// drive begins issuances at a steady rate, whether or not those before have
// come to their end, and returns how long each took. One that has to wait until
// fewer are under way takes that much longer.
func (w *world) drive(count int, every time.Duration) []time.Duration {
	w.t.Helper()
	latencies := make([]time.Duration, count)
	var all sync.WaitGroup
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	free := make(chan struct{}, loadAtOnce)
	for i := range count {
		<-ticker.C
		begin := time.Now()
		all.Go(func() {
			free <- struct{}{}
			defer func() { <-free }()
			ctx, cancel := context.WithTimeout(w.t.Context(), 5*time.Minute)
			defer cancel()
			check.OK(w.t, check.Err(w.Issue(ctx, deployment.Order{Profile: "payments-api", Lifetime: time.Hour})),
				"issuance %d", i)
			latencies[i] = time.Since(begin)
		})
	}
	all.Wait()
	return latencies
}

// memory returns the memory of each process, in KiB.
func (w *world) memory() map[string]int64 {
	w.t.Helper()
	held := map[string]int64{}
	for _, name := range append([]string{"cloud", "collector"}, w.Nodes...) {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", w.Process(name).ID()))
		if err != nil {
			w.t.Skip("this system does not tell the memory of a process")
		}
		_, rest, _ := strings.Cut(string(b), "VmRSS:")
		var kib int64
		must.Get(fmt.Sscan(rest, &kib))(w.t)
		held[name] = kib
	}
	return held
}
