package spark

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// process is one of the processes below the workers.
type process struct {
	id, parent int
	command    []string
}

// below returns the processes that descend from one, it too.
func below(root int) (found []process) {
	all := processes()
	family := []int{root}
	for i := 0; i < len(family); i++ {
		for _, p := range all {
			if p.parent == family[i] {
				family = append(family, p.id)
			}
		}
	}
	for _, p := range all {
		if slices.Contains(family, p.id) {
			found = append(found, p)
		}
	}
	return found
}

// processes returns all processes that are there.
func processes() (all []process) {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		stat, err := os.ReadFile(path)
		line, err2 := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
		if err != nil || err2 != nil {
			continue // it has ended
		}
		// The name is in parentheses, and may contain any character.
		fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		p := process{command: strings.Split(strings.TrimRight(string(line), "\x00"), "\x00")}
		p.id, _ = strconv.Atoi(filepath.Base(filepath.Dir(path)))
		p.parent, _ = strconv.Atoi(fields[1])
		all = append(all, p)
	}
	return all
}

// is reports whether a process has an argument.
func (p process) is(argument string) bool { return slices.Contains(p.command, argument) }

// executors returns the processes of executors below the workers.
func (c *cluster) executors() (found []process) {
	for _, worker := range c.workers {
		for _, p := range below(worker) {
			if p.is("org.apache.spark.executor.CoarseGrainedExecutorBackend") {
				found = append(found, p)
			}
		}
	}
	return found
}

// writing returns the processes of svc-verify below one that write parts.
func writing(root int) (found []process) {
	for _, p := range below(root) {
		if strings.HasPrefix(filepath.Base(p.command[0]), "svc-verify") && p.is("part") {
			found = append(found, p)
		}
	}
	return found
}
