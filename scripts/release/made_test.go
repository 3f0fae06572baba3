//go:build release

package main

import (
	"bytes"
	"debug/buildinfo"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestRelease makes a release of this tree, as it is in the working directory, in two folders and as
// two users, and checks it as a stranger does. It is for linux/amd64 alone; the platforms have the
// same code.
func TestRelease(t *testing.T) {
	maker, keygen := must.Program(t, "make"), must.Program(t, "ssh-keygen")
	t.Setenv("SOURCE_DATE_EPOCH", "1770000001") // in one of two; the other has the time of the commit
	keys := t.TempDir()
	for _, name := range []string{"own", "other"} {
		mustRun(t, exec.Command(keygen, "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", filepath.Join(keys, name)))
	}
	first := copyTree(t, filepath.Join(t.TempDir(), "a"))
	second := filepath.Join(t.TempDir(), "a longer", "way")
	mustRun(t, exec.Command("git", "clone", "-q", first, second))
	args := []string{"-s", "release", "VERSION=1.2.3-rc.1", "PLATFORMS=linux/amd64", "KEY=" + filepath.Join(keys, "own")}
	mustRun(t, inFolder(first, exec.Command(maker, args...)))
	other := exec.Command("sh", append([]string{"-c", `umask 077; exec "$@"`, "sh", maker}, args[:4]...)...)
	other.Env = []string{"HOME=" + t.TempDir(), "USER=somebody", "TZ=Asia/Tokyo", "LANG=de_DE.UTF-8", "GOAMD64=v3",
		"GOFLAGS=-buildvcs=true -mod=mod", "GOEXPERIMENT=goroutineleakprofile", "CGO_ENABLED=1"}
	for _, name := range []string{"GOMODCACHE", "GOCACHE", "GOPROXY", "GOSUMDB"} {
		other.Env = append(other.Env, name+"="+must.Get(runProgram("go", "env", name))(t))
	}
	other.Env = append(other.Env, "PATH="+os.Getenv("PATH"))
	mustRun(t, inFolder(second, other))

	a, b := filepath.Join(first, "bin", "release-1.2.3-rc.1"), filepath.Join(second, "bin", "release-1.2.3-rc.1")
	differences := must.Get(compareReleases(a, b))(t)
	check.That(t, len(differences) == 0, "the releases of two folders differ:\n%s", strings.Join(differences, "\n"))
	t.Run("signature", func(t *testing.T) { checkSignature(t, a, keys) })
	t.Run("contents", func(t *testing.T) { checkContents(t, a, first) })
	t.Run("image", func(t *testing.T) { checkSkopeo(t, filepath.Join(a, "svc-verify_1.2.3-rc.1_oci.tar")) })
	t.Run("rebuild", func(t *testing.T) { checkRebuild(t, a, second) })
}

// copyTree copies the files of the tree that git knows, or would add, and commits them.
func copyTree(t *testing.T, folder string) string {
	t.Helper()
	root := filepath.Join("..", "..")
	list := must.Get(runProgram("git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"))(t)
	for name := range strings.SplitSeq(strings.TrimSuffix(list, "\x00"), "\x00") {
		from, to := filepath.Join(root, name), filepath.Join(folder, name)
		info, err := os.Lstat(from)
		if os.IsNotExist(err) {
			continue // removed, and not yet committed
		}
		must.Do(t, err)
		must.Do(t, os.MkdirAll(filepath.Dir(to), 0o700))
		must.Do(t, os.WriteFile(to, must.Get(os.ReadFile(from))(t), info.Mode().Perm()))
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"commit", "-q", "-m", "all"}} {
		runGit(t, folder, args...)
	}
	return folder
}

// runGit runs git as one user at one time.
func runGit(t *testing.T, folder string, args ...string) {
	args = append([]string{"-c", "user.name=A", "-c", "user.email=a@b.example"}, args...)
	c := inFolder(folder, exec.Command("git", args...))
	c.Env = append(os.Environ(), "GIT_AUTHOR_DATE=1770000001 +0000", "GIT_COMMITTER_DATE=1770000001 +0000")
	mustRun(t, c)
}

func inFolder(folder string, c *exec.Cmd) *exec.Cmd {
	c.Dir = folder
	return c
}

// runCommand runs a command, and returns its exit code with its output.
func runCommand(c *exec.Cmd) (int, string) {
	text, err := c.CombinedOutput()
	if c.ProcessState == nil {
		return -1, err.Error()
	}
	return c.ProcessState.ExitCode(), string(text)
}

func mustRun(t *testing.T, c *exec.Cmd) string {
	t.Helper()
	code, text := runCommand(c)
	must.That(t, code == 0, "%q: exit code %d\n%s", c.Args, code, text)
	return text
}

// checkSignature verifies the digests and their signature as docs/releases.md does, and sees that another
// key, another name, and one changed byte are refused.
func checkSignature(t *testing.T, release, keys string) {
	public := must.Get(os.ReadFile(filepath.Join(keys, "own.pub")))(t)
	foreign := must.Get(os.ReadFile(filepath.Join(keys, "other.pub")))(t)
	sums := must.Get(os.ReadFile(filepath.Join(release, sumsName)))(t)
	verify := func(key, sums []byte, who, purpose string) int {
		allowed := filepath.Join(t.TempDir(), "allowed_signers")
		must.Do(t, os.WriteFile(allowed, append([]byte("release@example "), key...), 0o600))
		c := exec.Command("ssh-keygen", "-Y", "verify", "-f", allowed, "-I", who, "-n", purpose, "-s",
			filepath.Join(release, signatureName))
		c.Stdin = bytes.NewReader(sums)
		code, _ := runCommand(c)
		return code
	}
	changed := bytes.Replace(sums, []byte("a"), []byte("b"), 1)
	check.Equal(t, verify(public, sums, "release@example", namespace), 0, "the signature")
	check.That(t, verify(foreign, sums, "release@example", namespace) != 0, "another key verifies")
	check.That(t, verify(public, changed, "release@example", namespace) != 0, "other digests verify")
	check.That(t, verify(public, sums, "else@example", namespace) != 0, "another signer verifies")
	check.That(t, verify(public, sums, "release@example", "file") != 0, "a signature for something else verifies")

	mustRun(t, inFolder(release, exec.Command("sha256sum", "--strict", "-c", sumsName)))
	listed := strings.Count(string(sums), "\n")
	entries := must.Get(os.ReadDir(release))(t)
	check.Equal(t, listed, len(entries)-2, "files that are listed")
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), sumsName) {
			continue
		}
		restore := changeByte(t, filepath.Join(release, e.Name()))
		code, text := runCommand(inFolder(release, exec.Command("sha256sum", "--strict", "-c", sumsName)))
		check.That(t, code != 0 && strings.Contains(text, e.Name()+": FAILED"), "%s: exit code %d", e.Name(), code)
		restore()
	}
}

// changeByte changes one byte in the middle of a file, and returns the function that undoes it.
func changeByte(t *testing.T, path string) (restore func()) {
	t.Helper()
	data := must.Get(os.ReadFile(path))(t)
	data[len(data)/2] ^= 1
	must.Do(t, os.WriteFile(path, data, 0o600))
	return func() {
		data[len(data)/2] ^= 1
		must.Do(t, os.WriteFile(path, data, 0o600))
	}
}

// checkContents reads the files of a release: the archive and the image have one program, which states
// the version, no folder of this machine, and exactly the modules of its list.
func checkContents(t *testing.T, release, tree string) {
	const base = "svc-verify_1.2.3-rc.1_linux_amd64"
	folder := t.TempDir()
	mustRun(t, exec.Command("tar", "-xzf", filepath.Join(release, base+".tar.gz"), "-C", folder))
	for _, name := range []string{"README.md", "LICENSE", "SECURITY.md"} {
		want := must.Get(os.ReadFile(filepath.Join(tree, name)))(t)
		got := must.Get(os.ReadFile(filepath.Join(folder, base, name)))(t)
		check.That(t, bytes.Equal(got, want), "%s is another one", name)
	}
	program := filepath.Join(folder, base, "svc-verify")
	for _, page := range pages {
		want := mustRun(t, exec.Command(program, strings.Fields(page.args)...))
		got := must.Get(os.ReadFile(filepath.Join(folder, base, page.name)))(t)
		check.That(t, len(got) > 0 && string(got) == want, "%s is another one", page.name)
	}
	check.Equal(t, mustRun(t, exec.Command(program, "version")), "svc-verify 1.2.3-rc.1\n", "version")
	binary := must.Get(os.ReadFile(program))(t)
	folders := must.Get(runProgram("go", "env", "GOMODCACHE", "GOROOT"))(t)
	own := must.Get(filepath.Abs(filepath.Join("..", "..")))(t)
	home := must.Get(os.UserHomeDir())(t) + "/"
	for _, path := range append(strings.Fields(folders), tree, filepath.Dir(tree), own, home) {
		check.That(t, !bytes.Contains(binary, []byte(path)), "the program has the path %s in it", path)
	}
	info := must.Get(buildinfo.Read(bytes.NewReader(binary)))(t)
	list := must.Get(os.ReadFile(filepath.Join(release, base+".cdx.json")))(t)
	checkBill(t, list, info, binary)
	sums := string(must.Get(os.ReadFile(filepath.Join(tree, "go.sum")))(t))
	for _, m := range info.Deps {
		check.That(t, strings.Contains(sums, m.Path+" "+m.Version+" "+m.Sum+"\n"), "go.sum has no %s", m.Path)
	}
	programs := must.Get(readImage(must.Get(os.ReadFile(filepath.Join(release, "svc-verify_1.2.3-rc.1_oci.tar")))(t)))(t)
	check.That(t, len(programs) == 1 && bytes.Equal(programs["linux/amd64"], binary), "the image has another program")
}

// checkSkopeo lets another maker's program read the image, as OCI's layout and as Docker reads it.
func checkSkopeo(t *testing.T, archive string) {
	skopeo := must.Program(t, "skopeo")
	for _, from := range []string{"oci-archive:", "docker-archive:"} {
		folder := filepath.Join(t.TempDir(), "copy")
		mustRun(t, exec.Command(skopeo, "--insecure-policy", "--override-os", "linux", "--override-arch", "amd64", "copy",
			from+archive, "dir:"+folder))
		text := mustRun(t, exec.Command(skopeo, "inspect", "--config", "dir:"+folder))
		for _, want := range []string{`"User":"65532:65532"`, `"/svc-verify"`, `"amd64"`} {
			check.That(t, strings.Contains(strings.ReplaceAll(text, " ", ""), want), "%s: no %s:\n%s", from, want, text)
		}
	}
}

// checkRebuild lets the other tree build the release once more: as it is, with one byte of it
// changed, and from other sources.
func checkRebuild(t *testing.T, release, tree string) {
	rebuild := func() (int, string) {
		return runCommand(exec.Command(filepath.Join(tree, "scripts", "rebuild.sh"), release))
	}
	code, text := rebuild()
	check.That(t, code == 0, "unchanged: exit code %d\n%s", code, text)

	archive := filepath.Join(release, "svc-verify_1.2.3-rc.1_linux_amd64.tar.gz")
	restore := changeByte(t, archive)
	code, text = rebuild()
	differs := strings.Contains(text, filepath.Base(archive)+": differs")
	check.That(t, code == 1 && differs && !strings.Contains(text, "oci.tar"), "one byte: exit code %d\n%s", code, text)
	restore()

	page := filepath.Join(tree, "SECURITY.md")
	must.Do(t, os.WriteFile(page, append(must.Get(os.ReadFile(page))(t), '\n'), 0o600))
	code, text = rebuild()
	check.That(t, code == 2 && strings.Contains(text, "not committed"), "not committed: exit code %d\n%s", code, text)
	runGit(t, tree, "commit", "-qam", "more")
	code, text = rebuild()
	check.That(t, code == 1 && strings.Contains(text, "the release names the commit") &&
		strings.Contains(text, `_amd64/SECURITY.md": differs`) && !strings.Contains(text, `_amd64/svc-verify": differs`),
		"another source: exit code %d\n%s", code, text)
}
