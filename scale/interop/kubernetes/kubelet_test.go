package kubernetes

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kubernetes/pkg/fieldpath"
	"k8s.io/kubernetes/third_party/forked/golang/expansion"

	"github.com/svc-edge/svc-verify/scale/interop/fleet"
)

// fault is the kind of fault that a pod suffers.
type fault int

const (
	none      fault = iota
	lost            // its node is drained while it runs
	killed          // its memory is not enough
	unmounted       // the volume of the plan is empty
)

// log is the output of a pod, and how it ended.
type log struct {
	component, index string
	code             int
	stdout, stderr   string
}

// kubelet runs the containers of pods as processes, two at a time. The paths of
// their volumes are moved into folders of the test.
type kubelet struct {
	t       *testing.T
	mutex   sync.Mutex
	pods    int
	claims  map[string]string // the folders of the claims
	secret  string            // the folder of the key, as Kubernetes mounts it
	trust   string            // the folder of the trust file
	turns   chan struct{}
	faults  func(component, index string, attempt int) fault
	attempt map[string]int
}

func newKubelet(t *testing.T, evidence, trust string) *kubelet {
	t.Helper()
	dir := t.TempDir()
	k := &kubelet{t: t, claims: map[string]string{"svc-verify-evidence": evidence,
		"svc-verify-parts": filepath.Join(dir, "parts")},
		secret: filepath.Join(dir, "key"), trust: filepath.Dir(trust), turns: make(chan struct{}, 2),
		attempt: map[string]int{},
		faults:  func(string, string, int) fault { return none }}
	// A Secret is links into a folder that is replaced as a whole; with fsGroup, the
	// group may read it.
	data := filepath.Join(k.secret, "..data")
	err := errors.Join(os.Mkdir(k.claims["svc-verify-parts"], 0o750), os.MkdirAll(data, 0o750),
		os.WriteFile(filepath.Join(data, "part.key"), bytes.Repeat([]byte{7}, 32), 0o600),
		os.Chmod(filepath.Join(data, "part.key"), 0o440),
		os.Symlink("..data/part.key", filepath.Join(k.secret, "part.key")))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// runPod runs the containers of a pod, one after the other, and fills in its status.
func (k *kubelet) runPod(pod *core.Pod) log {
	k.turns <- struct{}{}
	defer func() { <-k.turns }()
	l := log{component: pod.Labels["app.kubernetes.io/component"],
		index: pod.Annotations["batch.kubernetes.io/job-completion-index"]}
	k.mutex.Lock()
	attempt := k.attempt[l.component+l.index]
	k.attempt[l.component+l.index]++
	what := k.faults(l.component, l.index, attempt)
	k.mutex.Unlock()
	folders, remove := k.mount(pod, what)
	defer remove()
	pod.Status.Phase = core.PodSucceeded
	for i, c := range slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers) {
		inside := k.command(pod, c, folders)
		if i < len(pod.Spec.InitContainers) {
			if out, err := inside.CombinedOutput(); err != nil {
				k.t.Errorf("%s %s: container %s: %v\n%s", l.component, l.index, c.Name, err, out)
			}
			continue
		}
		l.stdout, l.stderr, l.code = execute(inside, what)
		ended := core.ContainerStateTerminated{ExitCode: int32(l.code), FinishedAt: meta.Now()} // #nosec G115 -- an exit code
		pod.Status.ContainerStatuses = []core.ContainerStatus{{Name: c.Name, State: core.ContainerState{Terminated: &ended}}}
	}
	if l.code != 0 {
		pod.Status.Phase = core.PodFailed
	}
	if what == lost {
		pod.Status.Conditions = append(pod.Status.Conditions,
			core.PodCondition{Type: core.DisruptionTarget, Status: core.ConditionTrue})
	}
	return l
}

// mount returns the folder of each volume.
func (k *kubelet) mount(pod *core.Pod, what fault) (folders map[string]string, remove func()) {
	own, err := os.MkdirTemp(k.t.TempDir(), "pod")
	if err != nil {
		k.t.Error(err)
	}
	folders = map[string]string{}
	for _, v := range pod.Spec.Volumes {
		switch {
		case v.PersistentVolumeClaim != nil:
			folders[v.Name] = k.claims[v.PersistentVolumeClaim.ClaimName]
			if what == unmounted && v.PersistentVolumeClaim.ClaimName == "svc-verify-parts" {
				folders[v.Name] = filepath.Join(own, v.Name)
				err = errors.Join(err, os.Mkdir(folders[v.Name], 0o700))
			}
		case v.ConfigMap != nil:
			folders[v.Name] = k.trust
		case v.Secret != nil:
			folders[v.Name] = k.secret
		case v.EmptyDir != nil:
			folders[v.Name] = filepath.Join(own, v.Name)
			err = errors.Join(err, os.Mkdir(folders[v.Name], 0o700))
		default:
			k.t.Errorf("volume %s is of no kind that is known here", v.Name)
		}
	}
	if err != nil {
		k.t.Error(err)
	}
	return folders, func() { _ = os.RemoveAll(own) }
}

// command is a container as a process: its environment and arguments, as the kubelet
// makes them of the manifest, with the paths of the volumes moved.
func (k *kubelet) command(pod *core.Pod, c core.Container, folders map[string]string) *exec.Cmd {
	values := map[string]string{}
	for _, e := range c.Env {
		values[e.Name] = e.Value
		if e.ValueFrom != nil {
			value, err := fieldpath.ExtractFieldPathAsString(pod, e.ValueFrom.FieldRef.FieldPath)
			if err != nil {
				k.t.Error(err)
			}
			values[e.Name] = value
		}
	}
	mapping := expansion.MappingFuncFor(values)
	var words []string
	for _, word := range slices.Concat(c.Command, c.Args) {
		words = append(words, moved(c, folders, expansion.Expand(word, mapping)))
	}
	tools := filepath.Dir(fleet.Tool(k.t, "svc-verify"))
	path := "PATH=" + tools + ":" + os.Getenv("PATH")
	command := exec.Command(words[0], words[1:]...) // #nosec G204
	if words[0] == "svc-verify" {
		command = exec.Command(filepath.Join(tools, words[0]), words[1:]...) // #nosec G204
	}
	command.Env = []string{path}
	for name, value := range values {
		command.Env = append(command.Env, name+"="+moved(c, folders, value))
	}
	return command
}

// moved replaces the paths at which volumes are mounted by their folders.
func moved(c core.Container, folders map[string]string, text string) string {
	var pairs []string
	for _, m := range c.VolumeMounts {
		pairs = append(pairs, m.MountPath, folders[m.Name])
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// execute runs a process to its end, which may come early.
func execute(command *exec.Cmd, what fault) (stdout, stderr string, code int) {
	var out, faults bytes.Buffer
	command.Stdout, command.Stderr, command.SysProcAttr = &out, &faults, &syscall.SysProcAttr{Setpgid: true}
	if err := command.Start(); err != nil {
		return "", err.Error(), 127
	}
	if what == lost || what == killed {
		time.Sleep(5 * time.Millisecond)
		_ = syscall.Kill(-command.Process.Pid, syscall.SIGKILL)
	}
	_ = command.Wait()
	code = command.ProcessState.ExitCode()
	if what == lost || what == killed {
		code = 137 // also where the process was faster: its node is gone
	}
	return out.String(), faults.String(), code
}

func (l log) String() string {
	return fmt.Sprintf("%s %s: %d\n%s", l.component, l.index, l.code, l.stderr)
}
