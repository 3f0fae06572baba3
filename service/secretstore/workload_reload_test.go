//go:build unix

package secretstore

import (
	"context"
	"crypto/sha256"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/nodeconfig"
)

// program makes a script the reload program, with its digest, and returns its
// path.
func (r *rig) program(script string) string {
	path := r.put("reload", 0o755, "#!/bin/sh\n"+script)
	r.settings.Reload = &nodeconfig.Reload{
		Binary: nodeconfig.File{Path: path}, SHA256: sha256.Sum256([]byte("#!/bin/sh\n" + script)), Timeout: time.Minute,
	}
	return path
}

func (r *rig) reload(file string) error { return NewWorkload(r.settings).Reload(r.Context(), file) }

// told returns the text that a program wrote into the file out.
func (r *rig) told() string {
	content, err := os.ReadFile(filepath.Join(r.dir, "out"))
	must.That(r, err == nil || errors.Is(err, os.ErrNotExist), "%v", err)
	return string(content)
}

// TestReload: the program gets its arguments as they are, an empty environment but
// PATH, and nothing to read.
func TestReload(t *testing.T) {
	r := newRig(t)
	must.Do(r, r.reload("unused")) // no program is no error
	t.Setenv("SVC_SECRET", testToken)
	r.program("{ for a; do printf '<%s>' \"$a\"; done; env | grep -v -E '^(PWD|_|SHLVL|OLDPWD)='; cat; } >" + r.dir +
		"/out; echo loud; echo loud >&2\n")
	r.settings.Reload.Arguments = []string{"--certificate={certificate}", "{certificate}{certificate}",
		"$HOME `id` $(id); * \"' \\", "a  b", "{certificate"}
	must.Do(r, r.reload("/a b/$(id).pem"))
	want := "<--certificate=/a b/$(id).pem></a b/$(id).pem/a b/$(id).pem><$HOME `id` $(id); * \"' \\><a  b><{certificate>PATH=" + os.Getenv("PATH") + "\n"
	check.Equal(t, r.told(), want, "told")
}

// TestReloadOfBinary: a program that is no script runs too.
func TestReloadOfBinary(t *testing.T) {
	content := must.Get(os.ReadFile(must.Program(t, "touch")))(t)
	r := newRig(t)
	r.program("")
	r.settings.Reload.Binary.Path = r.put("touch", 0o755, string(content))
	r.settings.Reload.SHA256 = sha256.Sum256(content)
	r.settings.Reload.Arguments = []string{"{certificate}"}
	must.Do(r, r.reload(filepath.Join(r.dir, "out")))
	check.Do(t, check.Err(os.Stat(filepath.Join(r.dir, "out"))))
}

// TestReloadFails: the error states how the program failed, and nothing that it wrote.
func TestReloadFails(t *testing.T) {
	r := newRig(t)
	for script, want := range map[string]string{
		"echo loud; echo loud >&2; exit 3\n": "exit status 3", "kill -9 $$\n": "signal: killed",
	} {
		r.program(script)
		if err := r.reload("x"); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "loud") {
			t.Error(err)
		}
	}
	path := r.program("")
	content := "#!/no/such/interpreter\n"
	must.Do(r, os.WriteFile(path, []byte(content), 0o755))
	r.settings.Reload.SHA256 = sha256.Sum256([]byte(content))
	err := r.reload("x")
	check.That(t, err != nil && strings.Contains(err.Error(), "cannot be run"), "%v", err)
}

// TestReloadChecksProgram: right before each run, whatever it was before.
func TestReloadChecksProgram(t *testing.T) {
	script := func(r *rig) string { return "echo ran >>" + r.dir + "/out\n" }
	for name, c := range map[string]struct {
		spoil func(r *rig, path string)
		why   string // "" if it runs
	}{
		"as it was":       {func(*rig, string) {}, ""},
		"for all to read": {func(r *rig, path string) { must.Do(r, os.Chmod(path, 0o755)) }, ""},
		"written anew":    {func(r *rig, _ string) { r.put("reload", 0o755, "#!/bin/sh\n"+script(r)) }, ""},
		"changed":         {func(r *rig, _ string) { r.put("reload", 0o755, "#!/bin/sh\n"+script(r)+" ") }, "SHA-256"},
		"a symbolic link": {func(r *rig, path string) {
			must.Do(r, os.Rename(path, path+".real"))
			must.Do(r, os.Symlink(path+".real", path))
		}, "symbolic link"},
		"the group may write": {func(r *rig, path string) { must.Do(r, os.Chmod(path, 0o775)) }, "permissions"},
		"others may write":    {func(r *rig, path string) { must.Do(r, os.Chmod(path, 0o757)) }, "permissions"},
		"not executable":      {func(r *rig, path string) { must.Do(r, os.Chmod(path, 0o644)) }, "may be executed"},
		"gone":                {func(r *rig, path string) { must.Do(r, os.Remove(path)) }, "no such file"},
		"a directory": {func(r *rig, path string) {
			must.Do(r, os.Remove(path))
			must.Do(r, os.Mkdir(path, 0o755))
		}, "a directory"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			path := r.program(script(r))
			must.Do(r, r.reload("x"))
			c.spoil(r, path)
			err := r.reload("x")
			check.That(t, c.why != "" || (err == nil && r.told() == "ran\nran\n"), "%q, %v", r.told(), err)
			check.That(t, c.why == "" || (err != nil && strings.Contains(err.Error(), c.why) && r.told() == "ran\n"),
				"%q, %v", r.told(), err)
		})
	}
}

// TestReloadRunsWhatItChecked: another file that is put in the place of the program
// after the check does not run.
func TestReloadRunsWhatItChecked(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("a file runs by its descriptor on Linux alone")
	}
	r := newRig(t)
	path := r.program("echo pinned >" + r.dir + "/out\n")
	program := must.Get(r.settings.Reload.Open())(r)
	defer program.Close()
	other := r.put("other", 0o755, "#!/bin/sh\necho other >"+r.dir+"/out\n")
	must.Do(r, os.Rename(other, path))
	must.Do(r, runReload(t.Context(), r.settings.Reload, program, "x"))
	found := r.told()
	check.That(t, found == "pinned\n", "%v", found)
	err := r.reload("x")
	check.That(t, err != nil && r.told() == "pinned\n", "%q, %v", r.told(), err)
}

// TestReloadTimeout: the program and the processes that it started are killed.
func TestReloadTimeout(t *testing.T) {
	r := newRig(t)
	r.program("sleep 600 & echo $! $$ >" + r.dir + "/new; mv " + r.dir + "/new " + r.dir + "/out; wait\n")
	ctx, cancel := context.WithCancel(t.Context())
	r.settings.Reload.Timeout = time.Hour
	go func() {
		defer cancel()
		must.Eventually(r, "the process ids", func() bool { return r.told() != "" })
	}()
	if err := NewWorkload(r.settings).Reload(ctx, "x"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	r.gone(strings.Fields(r.told()))

	must.Do(r, os.Remove(filepath.Join(r.dir, "out")))
	r.settings.Reload.Timeout = 2 * time.Second
	err := r.reload("x")
	check.That(t, err != nil && strings.Contains(err.Error(), "was killed after 2s") &&
		!errors.Is(err, context.DeadlineExceeded), "%v", err)
	r.gone(strings.Fields(r.told()))
}

// gone waits until there are no such processes. One that is dead and that no one
// has waited for counts as none.
func (r *rig) gone(ids []string) {
	r.Helper()
	for _, id := range ids {
		n := must.Get(strconv.Atoi(id))(r)
		must.Eventually(r, "the end of process "+id, func() bool {
			if errors.Is(syscall.Kill(n, 0), syscall.ESRCH) {
				return true
			}
			status, err := os.ReadFile("/proc/" + id + "/stat")
			return err == nil && reflect.DeepEqual(strings.Fields(string(status))[2:3], []string{"Z"})
		})
	}
}
