package arrays

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/scale/interop/fleet"
)

// folder is where the scripts of an engine are, seen from this one.
func folder(name string) string {
	path, err := filepath.Abs(filepath.Join("..", "..", name))
	if err != nil {
		panic(err)
	}
	return path
}

// configuration is a cluster of one node, this machine. It runs two tasks at once.
const configuration = `ClusterName=test
SlurmctldHost=%[1]s(127.0.0.1)
SlurmUser=%[2]s
SlurmdUser=%[2]s
AuthType=auth/munge
AuthInfo=socket=%[3]s/munge.socket,cred_expire=30
CredType=cred/munge
MpiDefault=none
ProctrackType=proctrack/pgid
ReturnToService=2
SlurmctldPort=%[4]d
SlurmdPort=%[5]d
SlurmctldPidFile=%[3]s/slurmctld.pid
SlurmdPidFile=%[3]s/slurmd.pid
SlurmdSpoolDir=%[3]s/spool
StateSaveLocation=%[3]s/state
SlurmctldLogFile=%[3]s/slurmctld.log
SlurmdLogFile=%[3]s/slurmd.log
TaskPlugin=task/none
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0,sched_min_interval=0
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
JobAcctGatherType=jobacct_gather/none
KillWait=1
NodeName=%[1]s NodeAddr=127.0.0.1 CPUs=2 RealMemory=1024 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP
`

// slurm starts munged, slurmctld and slurmd, and returns the environment of their
// commands.
func slurm(t *testing.T) []string {
	t.Helper()
	if _, err := exec.LookPath("slurmctld"); err != nil || os.Getuid() != 0 {
		if os.Getenv("CI") != "" {
			t.Fatal("expected root and Debian's package slurm-wlm: ", err)
		}
		t.Skip("needs root and Debian's package slurm-wlm")
	}
	// The path of a socket is short.
	dir, err := os.MkdirTemp("", "slurm-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	host, err := os.Hostname()
	who, err2 := user.Current()
	if err := errors.Join(err, err2, os.Mkdir(filepath.Join(dir, "spool"), 0o755),
		os.Mkdir(filepath.Join(dir, "state"), 0o700)); err != nil {
		t.Fatal(err)
	}
	host, _, _ = strings.Cut(host, ".")
	file, key := filepath.Join(dir, "slurm.conf"), filepath.Join(dir, "munge.key")
	text := fmt.Sprintf(configuration, host, who.Username, dir, port(t), port(t))
	if err := errors.Join(os.WriteFile(file, []byte(text), 0o600),
		os.WriteFile(key, []byte(strings.Repeat("k", 128)), 0o600)); err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), "SLURM_CONF="+file)
	daemon(t, env, "munged", "--foreground", "--force", "--key-file="+key, "--socket="+dir+"/munge.socket",
		"--pid-file="+dir+"/munge.pid", "--log-file="+dir+"/munged.log", "--seed-file="+dir+"/munge.seed")
	daemon(t, env, "slurmctld", "-D", "-f", file)
	daemon(t, env, "slurmd", "-D", "-f", file)
	for range 200 {
		if out, _ := command(env, "sinfo", "--noheader",
			"--format=%t").CombinedOutput(); strings.TrimSpace(string(out)) == "idle" {
			return env
		}
		time.Sleep(100 * time.Millisecond)
	}
	for _, name := range []string{"munged.log", "slurmctld.log", "slurmd.log"} {
		log, err := os.ReadFile(filepath.Join(dir, name))
		t.Logf("%s: %v\n%s", name, err, log)
	}
	t.Fatal("Slurm has no idle node")
	return nil
}

// port returns a port that nothing listens on.
func port(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

func command(env []string, name string, args ...string) *exec.Cmd {
	c := exec.Command(name, args...) // #nosec G204
	c.Env = env
	return c
}

// daemon starts a program that runs until the test ends.
func daemon(t *testing.T, env []string, name string, args ...string) {
	t.Helper()
	c := command(env, name, args...)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Signal(os.Interrupt)
		time.AfterFunc(5*time.Second, func() { _ = c.Process.Kill() })
		_ = c.Wait()
	})
}

// run is one submission.
type run struct {
	env                    []string
	evidence, trust, parts string
}

// newRun lays evidence out for the scripts, with a svc-verify that a test may get in
// the way of: it runs before.sh first, where that is there.
func newRun(t *testing.T, env []string) *run {
	t.Helper()
	evidence, trust := fleet.Evidence(t)
	dir := t.TempDir()
	parts, bin, key := filepath.Join(dir, "parts"), filepath.Join(dir, "bin"), filepath.Join(dir, "part.key")
	wrapper := fmt.Sprintf("#!/bin/sh\nif test -e %[1]s/before.sh; then . %[1]s/before.sh; fi\nexec %[2]s \"$@\"\n", dir,
		fleet.Tool(t, "svc-verify"))
	err := errors.Join(os.Mkdir(parts, 0o750), os.Mkdir(bin, 0o750),
		os.WriteFile(key, []byte(strings.Repeat("k", 32)), 0o400),
		os.WriteFile(filepath.Join(bin, "svc-verify"), []byte(wrapper), 0o700)) // #nosec G306 -- a program
	if err != nil {
		t.Fatal(err)
	}
	env = append(env, "PATH="+bin+":"+os.Getenv("PATH"), "EVIDENCE="+evidence, "TRUST="+trust, "PARTS_DIR="+parts,
		"PART_KEY="+key, "PARTS=12", "GROUP=5", "WAIT=0")
	return &run{env, evidence, trust, parts}
}

// before sets a script that runs before svc-verify.
func (r *run) before(t *testing.T, script string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(filepath.Dir(r.parts), "before.sh"), []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
}

// submit submits all jobs, waits for the last, and returns the verdict and the exit
// code of the last.
func (r *run) submit(t *testing.T) (verdict, code string) {
	t.Helper()
	out, err := command(r.env, filepath.Join(folder("slurm"), "submit.sh")).Output()
	if err != nil {
		t.Fatal(err)
	}
	id := strings.TrimSpace(string(out))
	for range 1200 {
		state, err := command(r.env, "scontrol", "show", "job", id).Output()
		if err != nil {
			t.Fatal(err)
		}
		if _, rest, ok := strings.Cut(string(state), "ExitCode="); ok &&
			(strings.Contains(string(state), "JobState=COMPLETED") || strings.Contains(string(state), "JobState=FAILED")) {
			text, err := os.ReadFile(filepath.Join(r.parts, "verdict.json"))
			if err != nil {
				t.Fatal(err)
			}
			code, _, _ = strings.Cut(rest, ":")
			return string(text), code
		}
		time.Sleep(100 * time.Millisecond)
	}
	state, _ := command(r.env, "scontrol", "show", "job").CombinedOutput()
	t.Fatalf("the last job does not end:\n%s", state)
	return "", ""
}

// TestSlurm: the jobs give the bytes of walk, though some parts fail at first. Where a
// part fails for good, the verdict is inconclusive and names it.
func TestSlurm(t *testing.T) {
	env := slurm(t)
	r := newRun(t, env)
	want, _ := fleet.Walk(t, r.trust, r.evidence)
	// The plan is missing twice for part 3. Part 4 is killed once, and its job is put back, as
	// after the loss of a node.
	r.before(t, `case "$*" in
*--index\ 3\ *) n=$(cat "$PARTS_DIR/tries" 2>/dev/null || echo 0); echo $((n + 1)) >"$PARTS_DIR/tries"
	test "$n" -ge 2 || exit 2;;
*--index\ 4\ *) if ! test -e "$PARTS_DIR/lost"; then touch "$PARTS_DIR/lost"; scontrol requeue "$SLURM_JOB_ID"; sleep 60; fi;;
esac
`)
	if got, code := r.submit(t); got != string(want) || code != "0" {
		t.Errorf("exit code %s\n%s\nexpected\n%s", code, got, want)
	}
	for name, want := range map[string]string{"tries": "3\n", "lost": ""} {
		if got, err := os.ReadFile(filepath.Join(r.parts, name)); err != nil || string(got) != want {
			t.Errorf("%s: found %q, %v", name, got, err)
		}
	}

	r = newRun(t, env)
	r.before(t, "case \"$*\" in *--index\\ 7\\ *) exit 2;; esac\n")
	if got, code := r.submit(t); code != "3" || !strings.Contains(got, "share 7") {
		t.Errorf("exit code %s\n%s\nexpected 3, and share 7", code, got)
	}
}
