//go:build linux

package main

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// throughNodes is how many journals there are beside the tenant log.
const throughNodes = 4

// joinWidth is how many parts are concluded from, or joined, at once. More than that
// are joined first: that costs about a third of what concluding does. Tests lower it.
var joinWidth = 1024

// through is evidence on its way into parts. It is written into the standard input of
// the workers, and takes no room on the disk.
type through struct {
	evidence
	journals []*quick
	tenant   *quick

	mutex sync.Mutex
	used  map[string][]usage // by command
	files []string           // the parts, in the order of their making
	count int                // of events
	bytes int64
	from  time.Duration // the CPU time of this process before it began

	plan string // what the shares are planned in; "" if the workers are written into
}

// measureThrough has workers make parts of events and concludes, all by the program's
// commands, and prints what each step took. Very many parts are joined first. Planned,
// the evidence is files, which are divided by a plan.
func measureThrough(w io.Writer, dir string, events, parts int, planned bool) (_ *through, err error) {
	t, err := newThrough(evidence{dir: filepath.Join(dir, "through"), events: events}, throughNodes)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(t.dir)) }()
	if planned {
		t.plan = t.file("plan.json")
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt)
	rounds := (parts + throughNodes) / (throughNodes + 1)
	each := events * 8 / (9 * throughNodes * rounds) // events of a journal; the tenant log has an eighth of all
	for round := range rounds {
		if err := t.round(max(each, 16)); err != nil {
			return nil, err
		}
		select {
		case <-stop: // the evidence is whole after each round
			fmt.Fprintf(os.Stderr, "stopped after %d of %d rounds\n", round+1, rounds)
			return t, t.finish(w)
		default:
		}
	}
	if planned {
		if err := t.share(parts); err != nil {
			return nil, err
		}
	}
	return t, t.finish(w)
}

// newThrough makes the keys, the trust file and the program.
func newThrough(e evidence, nodes int) (*through, error) {
	t := &through{evidence: e, used: map[string][]usage{}, from: ownTime()}
	s := chance.New(1).Stream("through")
	trusted, keys := newWorld().trust(), seal.Object{}
	for i := range nodes {
		key := seal.Key{ID: fmt.Sprintf("mesh-%d", i+1), Private: s.Ed25519()}
		q, err := newQuick(tenant, "node/"+key.ID, key)
		if err != nil {
			return nil, err
		}
		t.journals, keys[key.ID] = append(t.journals, q), seal.Base64(key.Public())
	}
	audit := seal.Key{ID: "audit-1", Private: s.Ed25519()}
	trusted["nodes"], trusted["audit_keys"] = keys, seal.Object{audit.ID: seal.Base64(audit.Public())}
	var err error
	if t.tenant, err = newQuick(tenant, "tenant/"+tenant, audit); err != nil {
		return nil, err
	}
	return t, errors.Join(os.MkdirAll(e.dir, 0o750), os.WriteFile(e.trust(), seal.Canonical(trusted), 0o600), e.build())
}

// round makes a part of the next events of each journal, two at a time, and then one
// of what the tenant log has on them.
func (t *through) round(each int) error {
	reports, faults := make([][]seal.Object, len(t.journals)), make([]error, len(t.journals))
	from := make([]int, len(t.journals))
	var running sync.WaitGroup
	turns := make(chan struct{}, 2)
	for i, q := range t.journals {
		from[i] = len(q.hashes)
		running.Go(func() {
			turns <- struct{}{}
			defer func() { <-turns }()
			faults[i] = t.take(i, func(w *bufio.Writer) error { return t.journal(i, w, each, &reports[i]) })
		})
	}
	running.Wait()
	if err := errors.Join(faults...); err != nil {
		return err
	}
	return t.take(len(t.journals), func(w *bufio.Writer) error { return t.answer(w, from, reports) })
}

// take takes the next events of a log: a worker makes a part of them, or they go into
// the file of the log.
func (t *through) take(log int, write func(*bufio.Writer) error) error {
	if t.plan == "" {
		return t.part(write)
	}
	return t.keep(log, write)
}

// journal writes the next events of a journal, and keeps its reports.
func (t *through) journal(i int, w *bufio.Writer, each int, reports *[]seal.Object) error {
	q := t.journals[i]
	t.mutex.Lock()
	t.count += each
	t.mutex.Unlock()
	return q.write(w, func(n int) quickEntry { return journalEntry(q.keyID, n) }, each,
		func(o seal.Object) { *reports = append(*reports, o) })
}

// answer writes what the tenant log has on the events of the journals from some
// sequences on: their approvals, and the reports of their heads. It has them when they
// occur, as a service that hears of them at once: so few approvals wait for it at any
// moment, however many there are.
func (t *through) answer(w *bufio.Writer, from []int, reports [][]seal.Object) error {
	entries := t.answers(from, reports)
	first := len(t.tenant.hashes)
	t.count += len(entries)
	return t.tenant.write(w, func(n int) quickEntry {
		e := entries[n-first].entry()
		e.at = at(entries[n-first].on)
		return e
	}, len(entries), nil)
}

// answered is an event of the tenant log on that of a journal.
type answered struct {
	on    int // its sequence
	entry func() quickEntry
}

// answers returns what the tenant log has on the events of the journals, in the order
// of their times.
func (t *through) answers(from []int, reports [][]seal.Object) (all []answered) {
	for i, q := range t.journals {
		for n := from[i]; n < len(q.hashes); n++ {
			if n%16 == 0 {
				all = append(all, answered{n, func() quickEntry { return recorded(q.keyID, n) }},
					answered{n, func() quickEntry { return issued(q.keyID, n) }})
			}
		}
		for _, r := range reports[i] {
			all = append(all, answered{int(seal.Integer(r, "audit_sequence")), func() quickEntry {
				return quickEntry{kind: "node.reported", data: string(seal.Canonical(r))}
			}})
		}
	}
	slices.SortStableFunc(all, func(a, b answered) int { return cmp.Compare(a.on, b.on) })
	return all
}

// digestOf is a digest that two logs have of one thing.
func digestOf(what, keyID string, n int) string {
	digest := sha256.Sum256(fmt.Appendf(nil, "%s %s %d", what, keyID, n))
	return hex.EncodeToString(digest[:])
}

func transactionOf(keyID string, n int) string { return fmt.Sprintf("tx-%s-%09d", keyID, n/16) }

// journalEntry is an event of the variety of [world.entry]. Each sixteenth is an
// approval, which the tenant log must have.
func journalEntry(keyID string, n int) quickEntry {
	switch {
	case n%16 == 0:
		return quickEntry{kind: "approval.signed", transaction: transactionOf(keyID, n),
			data: `{"approval_sha256":"` + digestOf("approval", keyID, n) + `","decision":"allow"}`}
	case n%4 == 1:
		return quickEntry{kind: "capability.observed",
			data: `{"capability_evidence_sha256":"` + digestOf("capability", keyID, n) + `"}`}
	case n%4 == 2:
		digest := digestOf("denied", keyID, n)
		return quickEntry{kind: "approval.denied", data: `{"approval_sha256":"` + digest +
			`","checked":[{"holds":true,"rule":"terms-within-policy","value_sha256":"` + digest +
			`"},{"evidence_age_seconds":3600,"holds":false,"rule":"capability-observed"}],` +
			`"reason":"capability evidence: nobody observed attested-boot"}`}
	}
	digest := digestOf("policy", keyID, n)
	return quickEntry{kind: "policy.synced",
		data: `{"detail":"the policy of the fleet was read again and found to be the one ` +
			`that is in force; no rule was added or removed, no term became wider, and every node of the fleet has it",` +
			`"policy_sha256":"` + digest + `","policy_version":7,"previous_policy_sha256":"` + digest +
			`","source":"https://policy.acme-corp.example/fleet"}`}
}

func recorded(keyID string, n int) quickEntry {
	return quickEntry{kind: "approval.recorded", transaction: transactionOf(keyID, n),
		data: `{"approval_sha256":"` + digestOf("approval", keyID, n) + `","node_id":"` + keyID + `"}`}
}

func issued(keyID string, n int) quickEntry {
	return quickEntry{kind: "issuance.completed", transaction: transactionOf(keyID, n),
		data: `{"manifest_sha256":"` + digestOf("manifest", keyID, n) + `"}`}
}

// nextPart names the next part.
func (t *through) nextPart() string {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	out := t.file(fmt.Sprintf("0-%04d.part", len(t.files)))
	t.files = append(t.files, out)
	return out
}

// part has a worker make a part of what write writes.
func (t *through) part(write func(*bufio.Writer) error) error {
	out := t.nextPart()
	cmd := exec.Command(t.program(), "part", "--trust", t.trust(), "--temp-dir", t.dir, // #nosec G204 -- made here
		"--jobs", "1", "--out", out, "-")
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	began := time.Now()
	var faults bytes.Buffer
	cmd.Stderr = &faults
	if err := cmd.Start(); err != nil {
		return err
	}
	peak := watchMemory(cmd.Process.Pid)
	counted := &counter{Writer: in}
	w := bufio.NewWriterSize(counted, 1<<20)
	if err := errors.Join(write(w), w.Flush(), in.Close(), cmd.Wait()); err != nil {
		return fmt.Errorf("%w: %s", err, &faults)
	}
	t.note("part", cmd, began, peak)
	t.mutex.Lock()
	t.bytes += counted.n
	t.mutex.Unlock()
	return nil
}

// counter counts what is written.
type counter struct {
	io.Writer
	n int64
}

func (c *counter) Write(b []byte) (int, error) {
	c.n += int64(len(b))
	return c.Writer.Write(b)
}

// note keeps what a process took.
func (t *through) note(name string, cmd *exec.Cmd, began time.Time, peak func() int64) {
	s := cmd.ProcessState
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.used[name] = append(t.used[name], usage{s.UserTime() + s.SystemTime(), time.Since(began), peak()})
}

// watchMemory reads the peak memory of a process again and again, until what it
// returns is called. What the kernel says of a process that ended has the memory of
// its parent in it, which is large here.
func watchMemory(pid int) (peak func() int64) {
	end, done := make(chan struct{}), make(chan int64)
	go func() {
		most := int64(0)
		for ticker := time.NewTicker(20 * time.Millisecond); ; {
			most = max(most, peakOf(strconv.Itoa(pid)))
			select {
			case <-end:
				done <- most
				return
			case <-ticker.C:
			}
		}
	}()
	return func() int64 {
		close(end)
		return <-done
	}
}

// run runs a command of the program, and keeps what it took under its name.
func (t *through) run(args ...string) ([]byte, error) { return t.runAs(args[0], nil, args...) }

// runAs runs a command of the program with more in its environment, and keeps what it
// took.
func (t *through) runAs(name string, env []string, args ...string) ([]byte, error) {
	cmd := exec.Command(t.program(), args...) // #nosec G204 -- made here
	cmd.Env = append(os.Environ(), env...)
	var out bytes.Buffer
	cmd.Stdout = &out
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	peak := watchMemory(cmd.Process.Pid)
	err := cmd.Wait()
	t.note(name, cmd, began, peak)
	return out.Bytes(), err
}

// finish joins very many parts in a tree, concludes, and prints what everything took.
func (t *through) finish(w io.Writer) error {
	err := t.printParts(w)
	if err != nil {
		return err
	}
	parts, level := t.files, 1
	for ; len(parts) > joinWidth; level++ {
		var joined []string
		for i := 0; i < len(parts); i += joinWidth {
			out := t.file(fmt.Sprintf("%d-%04d.part", level, i/joinWidth))
			group := parts[i:min(i+joinWidth, len(parts))]
			if _, err := t.run(append([]string{"join", "--out", out}, group...)...); err != nil {
				return err
			}
			for _, name := range group {
				err = errors.Join(err, os.Remove(name))
			}
			joined = append(joined, out)
		}
		parts = joined
	}
	octets, err := sizes(parts)
	if err != nil {
		return err
	}
	args := []string{"conclude", "--trust", t.trust(), "--output", "json"}
	if t.plan != "" {
		args = append(args, "--plan", t.plan)
	}
	answer, err := t.run(append(args, parts...)...)
	verdict, err := t.judged(answer, err)
	if err != nil {
		return err
	}
	t.print(w)
	fmt.Fprintf(w, "  concluded from %s of %.1f MB\n", counted(len(parts), "part"), float64(octets)/1e6)
	fmt.Fprintf(w, "  verdict: %s\n", verdict)
	return nil
}

// judged wants an answer to hold a signature that verifies for every event, and
// returns its verdict.
func (t *through) judged(answer []byte, err error) (string, error) {
	var said struct {
		Verdict string `json:"verdict"`
		Logs    []struct {
			Valid int `json:"signature_valid"`
		} `json:"logs"`
	}
	if parseErr := json.Unmarshal(answer, &said); parseErr != nil {
		return "", errors.Join(err, parseErr)
	}
	valid := 0
	for _, l := range said.Logs {
		valid += l.Valid
	}
	if valid != t.count || said.Verdict != "verified" {
		return "", fmt.Errorf("expected %d signatures that verify, found %d: %s", t.count, valid, said.Verdict)
	}
	return said.Verdict, nil
}

// sizes is how many octets files have together.
func sizes(files []string) (octets int64, err error) {
	all, err := eachSize(files)
	for _, size := range all {
		octets += size
	}
	return octets, err
}

// eachSize is the octets of each file, ascending.
func eachSize(files []string) (all []int64, err error) {
	for _, name := range files {
		info, err := os.Stat(name)
		if err != nil {
			return nil, err
		}
		all = append(all, info.Size())
	}
	slices.Sort(all)
	return all, nil
}
