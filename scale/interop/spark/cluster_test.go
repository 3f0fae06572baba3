package spark

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// patience is how long anything on the cluster may take. It only ends hanging work. A longer
// journal needs more: a minute for each hundred thousand events, on a machine that has little
// time for it.
func patience() time.Duration { return max(10, time.Duration(*events/100_000)) * time.Minute }

// scripts is the folder of the program for Spark.
const scripts = "../../spark"

// workers is how many workers a cluster has. Each has an address of its own, since
// Spark starts no second attempt on the host of the first.
const workers = 3

// installed returns the folder that install.sh filled.
func installed(t *testing.T) string {
	t.Helper()
	folder := os.Getenv("SPARK_PEERS")
	if _, err := os.Stat(filepath.Join(folder, "python/bin/spark-submit")); folder == "" || err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("SPARK_PEERS is %q: make scale-spark installs what it names", folder)
		}
		t.Skip("make scale-spark installs Spark")
	}
	return folder
}

// cluster is a master and workers of Spark that run.
type cluster struct {
	folder  string // of Spark
	address string // of the master
	workers []int  // process ids
	dirs    []string
}

// start starts a cluster. The workers put their files below the folders given, or
// below one of their own.
func start(t *testing.T, dirs ...string) *cluster {
	t.Helper()
	c := &cluster{folder: installed(t)}
	address := free(t)
	_, port, _ := net.SplitHostPort(address)
	c.address = "spark://" + address
	_, log := c.launch(t, "127.0.0.1", "spark-class", "org.apache.spark.deploy.master.Master",
		"--host", "127.0.0.1", "--port", port, "--webui-port", "0")
	eventually(t, log.String, func() bool { return log.has("New state: ALIVE") })
	for i := range workers {
		host := fmt.Sprintf("127.0.0.%d", i+2)
		if len(dirs) <= i {
			dirs = append(dirs, t.TempDir())
		}
		process, log := c.launch(t, host, "spark-class", "org.apache.spark.deploy.worker.Worker", "--host", host,
			"--cores", "1", "--memory", "1g", "--work-dir", dirs[i], "--webui-port", "0", c.address)
		c.workers = append(c.workers, process.Pid)
		eventually(t, log.String, func() bool { return log.has("Successfully registered with master") })
	}
	c.dirs = dirs
	return c
}

// command returns a command of Spark's that runs with an address of its own.
func (c *cluster) command(host, name string, args ...string) *exec.Cmd {
	command := exec.Command(filepath.Join(c.folder, "python/bin", name), args...) // #nosec G204
	command.Env = append(os.Environ(), "SPARK_LOCAL_IP="+host, "PYTHONPATH="+scripts, "PYTHONDONTWRITEBYTECODE=1",
		"PATH="+filepath.Join(c.folder, "python/bin")+":"+os.Getenv("PATH"),
		"SPARK_SUBMIT_OPTS=-Xmx512m -Dspark.ui.enabled=false -Dspark.executor.memory=512m")
	return command
}

// launch starts a server of Spark, which ends with the test.
func (c *cluster) launch(t *testing.T, host, name string, args ...string) (*os.Process, *record) {
	t.Helper()
	command, log := c.command(host, name, args...), &record{}
	command.Stdout, command.Stderr = log, log
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Signal(os.Interrupt)
		late := time.AfterFunc(time.Minute, func() { _ = command.Process.Kill() })
		_ = command.Wait()
		late.Stop()
	})
	return command.Process, log
}

// running is a run of the program by spark-submit.
type running struct {
	command *exec.Cmd
	stdout  record
	stderr  record
	ended   chan struct{}
}

// submit starts a run of the program with settings of Spark's and arguments.
func (c *cluster) submit(t *testing.T, settings []string, args ...string) *running {
	t.Helper()
	all := []string{"--master", c.address}
	for _, s := range settings {
		all = append(all, "--conf", s)
	}
	r := &running{command: c.command("127.0.0.1", "spark-submit",
		append(append(all, filepath.Join(scripts, "svc_verify_spark.py")), args...)...)}
	r.command.Stdout, r.command.Stderr, r.ended = &r.stdout, &r.stderr, make(chan struct{})
	must(t, r.command.Start())
	go func() { _ = r.command.Wait(); close(r.ended) }()
	t.Cleanup(func() { _ = r.command.Process.Kill(); <-r.ended })
	return r
}

// meets waits until something is so during a run.
func (r *running) meets(t *testing.T, so func() bool) {
	t.Helper()
	eventually(t, r.stderr.String, func() bool {
		select {
		case <-r.ended:
			t.Fatalf("the run has ended before:\n%s", r.stderr.String())
		default:
		}
		return so()
	})
}

// end waits for the end of a run, and returns its output and exit code.
func (r *running) end(t *testing.T) (stdout string, code int) {
	t.Helper()
	late := time.AfterFunc(patience(), func() { _ = r.command.Process.Kill() })
	defer late.Stop()
	<-r.ended
	return r.stdout.String(), r.command.ProcessState.ExitCode()
}

// record is the output of a process; it may be read while the process runs.
type record struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (r *record) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.b.Write(b)
}

func (r *record) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.b.String()
}

func (r *record) has(text string) bool { return strings.Contains(r.String(), text) }

// eventually waits until something is so. Else the test fails, with an explanation.
func eventually(t *testing.T, explain func() string, so func() bool) {
	t.Helper()
	for end := time.Now().Add(patience()); !so(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("it never came to that:\n%s", explain())
		}
	}
}

// free returns an address on loopback that nothing listens on.
func free(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer l.Close()
	return l.Addr().String()
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
