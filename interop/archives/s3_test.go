package archives

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// store is a versitygw that runs, an S3 server with object lock, and a folder in which
// commands run against it.
type store struct {
	dir string
	env []string
}

// newStore starts a server on loopback.
func newStore(t *testing.T) *store {
	t.Helper()
	folder := peers(t)
	s := &store{dir: t.TempDir()}
	data := t.TempDir()
	for _, name := range []string{"root", "versions", "bin"} {
		must.Do(t, os.Mkdir(filepath.Join(data, name), 0o750))
	}
	build := exec.Command("go", "build", "-o", filepath.Join(data, "bin")+"/", "./cmd/svc-verify") // #nosec G204
	build.Dir = "../.."                                                                            // in the main module
	said, err := build.CombinedOutput()
	must.That(t, err == nil, "%v\n%s", err, said)
	address := free(t)
	scripts := must.Get(filepath.Abs("../../scale/s3"))(t)
	s.env = append(os.Environ(), "AWS_ACCESS_KEY_ID=test", "AWS_SECRET_ACCESS_KEY=only-for-this-test",
		"AWS_DEFAULT_REGION=us-east-1",
		"AWS_ENDPOINT_URL=http://"+address, "AWS_EC2_METADATA_DISABLED=true", "AWS_CONFIG_FILE=/dev/null",
		"AWS_SHARED_CREDENTIALS_FILE=/dev/null",
		"XDG_STATE_HOME="+filepath.Join(data, "state"),
		"PATH="+strings.Join([]string{filepath.Join(data, "bin"), filepath.Join(folder, "python/bin"), scripts,
			os.Getenv("PATH")}, ":"))
	ctx, stop := context.WithCancel(context.Background())
	server := exec.CommandContext(ctx, filepath.Join(folder, "versitygw"), "--quiet", "--port", address,
		"posix", // #nosec G204
		"--versioning-dir", filepath.Join(data, "versions"), filepath.Join(data, "root"))
	server.Env = []string{"ROOT_ACCESS_KEY_ID=test", "ROOT_SECRET_ACCESS_KEY=only-for-this-test"}
	must.Do(t, server.Start())
	t.Cleanup(func() { stop(); _ = server.Wait() })
	for i := 0; ; i++ {
		c, err := net.Dial("tcp", address)
		if err == nil {
			c.Close()
			break
		}
		must.That(t, i != 200, "%v", err)
		time.Sleep(50 * time.Millisecond)
	}
	return s
}

// free returns an address on loopback that nothing listens on.
func free(t *testing.T) string {
	t.Helper()
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer l.Close()
	return l.Addr().String()
}

// archive writes proofs and their trust file, and checks them once.
func (s *store) archive(t *testing.T) {
	t.Helper()
	scene := must.Get(harness.Build("revoked", 1, harness.Options{}))(t)
	must.Do(t, os.WriteFile(filepath.Join(s.dir, "trust.json"), seal.Canonical(scene.Trust), 0o600))
	must.Do(t, os.MkdirAll(filepath.Join(s.dir, "proofs", "2026"), 0o750))
	for i, e := range scene.Exports {
		must.Do(t, os.WriteFile(filepath.Join(s.dir, "proofs", "2026", fmt.Sprint(i, ".json")),
			seal.Canonical(e.Bundle), 0o600))
	}
	s.want(t, 0, "svc-verify archive check proofs --ledger proofs.ledger --trust trust.json")
}

// sh runs commands, and returns their output and the exit code.
func (s *store) sh(t *testing.T, script string) (string, int) {
	t.Helper()
	c := exec.Command("sh", "-euc", script) // #nosec G204
	c.Dir, c.Env = s.dir, s.env
	out, err := c.CombinedOutput()
	must.That(t, c.ProcessState != nil, "%v", err)
	return string(out), c.ProcessState.ExitCode()
}

// want runs commands that must end with an exit code.
func (s *store) want(t *testing.T, code int, script string) string {
	t.Helper()
	out, got := s.sh(t, script)
	must.That(t, got == code, "%s\nexit code %d, want %d:\n%s", script, got, code, out)
	return out
}

// denied runs a command that the server must refuse because of the lock.
func (s *store) denied(t *testing.T, script string) {
	t.Helper()
	out, code := s.sh(t, script)
	check.That(t, code != 0 && strings.Contains(out, "AccessDenied"), "%s\nexit code %d:\n%s", script, code, out)
}

// recipe returns the commands of a section of a document, block by block.
func recipe(t *testing.T, document, section string, count int) []string {
	t.Helper()
	text := must.Get(os.ReadFile(document))(t)
	_, rest, found := strings.Cut(string(text), "\n## "+section+"\n")
	rest, _, _ = strings.Cut(rest, "\n## ")
	var blocks []string
	for _, m := range regexp.MustCompile("(?s)\n```sh\n(.*?)```\n").FindAllStringSubmatch(rest, -1) {
		blocks = append(blocks, m[1])
	}
	must.That(t, found && len(blocks) == count, "the section has %d blocks", len(blocks))
	return blocks
}

// locked names an object in commands.
const locked = " --bucket evidence --key proofs/2026/0.json "

// TestObjectLock follows the recipe of docs/archives.md against a real server: an object under
// lock cannot be deleted, replaced or released early, and anything that someone put in front
// of it is found.
func TestObjectLock(t *testing.T) {
	s := newStore(t)
	s.archive(t)
	steps := recipe(t, "../../docs/archives.md", "S3 with object lock", 5)
	s.want(t, 0, steps[0])
	s.want(t, 0, steps[1])
	s.want(t, 0, steps[2])
	version := strings.TrimSpace(s.want(t,
		0, "aws s3api list-object-versions --bucket evidence --prefix proofs/2026/0.json --query "+
			"'Versions[0].VersionId' --output text"))

	s.denied(t, "aws s3api delete-object"+locked+"--version-id "+version)
	s.denied(t, "aws s3api put-object-retention"+locked+
		`--retention '{"Mode":"COMPLIANCE","RetainUntilDate":"2030-01-01T00:00:00Z"}'`)
	s.denied(t, "aws s3api put-object-retention"+
		locked+`--bypass-governance-retention --retention '{"Mode":"GOVERNANCE","RetainUntilDate":"2060-01-01T00:00:00Z"}'`)
	out, code := s.sh(t, "aws s3api delete-bucket --bucket evidence")
	check.That(t, code != 0, "the bucket was deleted: %s", out)
	s.want(t, 0, "aws s3api put-object-retention"+locked+
		`--retention '{"Mode":"COMPLIANCE","RetainUntilDate":"2056-01-01T00:00:00Z"}'`)

	// A new version can be put in front of the old one. A copy then has the new one.
	s.want(t, 0, "sed s/allow/deny/ proofs/2026/0.json > other && aws s3api put-object"+locked+"--body other")
	if out := s.want(t, 1, "rm -r fetched\n"+steps[2]); !strings.Contains(out, "object.altered") {
		t.Errorf("%s", out)
	}
	if out := s.want(t, 0, strings.ReplaceAll(steps[3], "VERSION", version)); !strings.Contains(out, version) {
		t.Errorf("the first version is not listed: %s", out)
	}
	s.want(t, 0, "svc-verify archive check fetched --ledger proofs.ledger --trust trust.json")

	// So is a mark that hides the object.
	s.want(t, 0, "aws s3api delete-object"+locked)
	if out := s.want(t, 1, "rm -r fetched\n"+steps[2]); !strings.Contains(out, "object.missing") {
		t.Errorf("%s", out)
	}
	s.want(t, 0, strings.ReplaceAll(steps[3], "VERSION", version))
	s.want(t, 0, "svc-verify archive check fetched --ledger proofs.ledger --trust trust.json")

	s.want(t, 0, steps[4])
	s.want(t, 1, "sed 's/allow/deny/' bag.tar > other; ! cmp -s other bag.tar\n"+
		"aws s3api put-object --bucket evidence --key bag.tar --body other\naws s3 cp s3://evidence/bag.tar - | svc-verify archive verify -")
}

// TestDefaultRetention checks the statement of docs/archives.md about a bucket's default: on
// this server it ends when someone shortens it, so each object needs a retention of its own.
func TestDefaultRetention(t *testing.T) {
	s := newStore(t)
	s.archive(t)
	s.want(t, 0, "aws s3api create-bucket --bucket evidence --object-lock-enabled-for-bucket")
	s.want(t,
		0, `aws s3api put-object-lock-configuration --bucket evidence --object-lock-configuration `+
			`'{"ObjectLockEnabled":"Enabled","Rule":{"DefaultRetention":{"Mode":"COMPLIANCE","Days":3650}}}'`)
	s.want(t, 0, "aws s3api put-object"+locked+"--body proofs/2026/0.json")
	out, code := s.sh(t, "aws s3api get-object-retention"+locked)
	check.That(t, code != 0, "the object has a retention of its own now: %s", out)
}
