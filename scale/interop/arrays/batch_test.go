package arrays

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/batch"
	"github.com/aws/aws-sdk-go-v2/service/batch/types"

	"github.com/svc-edge/svc-verify/scale/interop/fleet"
)

func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "aws" {
		if err := playAWS(os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, "aws:", err)
			os.Exit(1)
		}
		return
	}
	fleet.Main(m)
}

// definition reads a job definition: a member that the API does not have is an error.
func definition(path string) (*batch.RegisterJobDefinitionInput, error) {
	text, err := os.ReadFile(path) // #nosec G304 -- of this tree
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	in := &batch.RegisterJobDefinitionInput{}
	return in, d.Decode(in)
}

// register has AWS's client validate a job definition and send it to a server on loopback. It
// returns the definition that the server received.
func register(t *testing.T, in *batch.RegisterJobDefinitionInput) (sent map[string]any, err error) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		_ = json.Unmarshal(body, &sent)
		fmt.Fprint(w, `{"jobDefinitionArn":"arn","jobDefinitionName":"name","revision":1}`)
	}))
	defer server.Close()
	client := batch.New(batch.Options{Region: "eu-central-1", BaseEndpoint: aws.String(server.URL), RetryMaxAttempts: 1,
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "test", SecretAccessKey: "test"}, nil
		})})
	_, err = client.RegisterJobDefinition(context.Background(), in)
	return sent, err
}

// TestDefinitions: AWS's client accepts every job definition and sends all of it.
func TestDefinitions(t *testing.T) {
	for _, name := range []string{"plan", "part", "join", "conclude"} {
		path := filepath.Join(folder("aws-batch"), name+".json")
		in, err := definition(path)
		if err != nil {
			t.Fatal(name, err)
		}
		sent, err := register(t, in)
		if err != nil {
			t.Fatal(name, err)
		}
		var want map[string]any
		text, err := os.ReadFile(path)
		if err := errors.Join(err, json.Unmarshal(text, &want)); err != nil {
			t.Fatal(err)
		}
		if got, want := canonical(t, sent), canonical(t, want); got != want {
			t.Errorf("%s: sent %s, expected %s", name, got, want)
		}
		in.RetryStrategy.EvaluateOnExit[0].Action = ""
		if _, err := register(t, in); err == nil {
			t.Errorf("%s: a rule without an action was taken", name)
		}
		if p := in.ContainerProperties; *p.Privileged || !*p.ReadonlyRootFilesystem || *p.User != "65532:65532" {
			t.Errorf("%s has more rights than it needs", name)
		}
	}
}

func canonical(t *testing.T, document any) string {
	t.Helper()
	text, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// playAWS is the program aws for submit.sh. It keeps job definitions and runs jobs at
// once, as AWS Batch would: with an index in the environment, again by the rules of
// evaluateOnExit, and not at all after a job that failed.
func playAWS(args []string) error {
	options := map[string]string{}
	for i := 2; i+1 < len(args); i += 2 {
		options[args[i]] = args[i+1]
	}
	if options["--output"] != "text" || len(args) < 2 || args[0] != "batch" {
		return fmt.Errorf("expected a command of batch and text, found %q", args)
	}
	switch args[1] {
	case "register-job-definition":
		file := strings.TrimPrefix(options["--cli-input-json"], "file://")
		_, err := definition(file)
		fmt.Println(file)
		return err
	case "submit-job":
		return submitJob(options)
	}
	return fmt.Errorf("no command %s", args[1])
}

// submitJob runs a job and prints its id, whether or not it succeeds. The jobs that
// failed are in the file FAILED.
func submitJob(options map[string]string) error {
	in, err := definition(options["--job-definition"])
	if err != nil {
		return err
	}
	failed, err := os.ReadFile(os.Getenv("FAILED"))
	if err != nil {
		return err
	}
	id, size := fmt.Sprintf("%s-%d", options["--job-name"], os.Getpid()), 1
	indexed := strings.HasPrefix(options["--array-properties"], "size=")
	if indexed {
		if _, err := fmt.Sscanf(options["--array-properties"], "size=%d", &size); err != nil {
			return err
		}
	}
	fmt.Println(id)
	after := strings.TrimPrefix(options["--depends-on"], "jobId=")
	ok := after == "" || !strings.Contains(string(failed), after+"\n")
	for index := 0; index < size && (ok || indexed && after == ""); index++ {
		env := os.Environ()
		if indexed {
			env = append(env, fmt.Sprintf("AWS_BATCH_JOB_ARRAY_INDEX=%d", index))
		}
		ok = runJob(in, options["--job-name"], env) && ok
	}
	if !ok {
		return os.WriteFile(os.Getenv("FAILED"), append(failed, id+"\n"...), 0o600)
	}
	return nil
}

// runJob runs a container as often as its retry strategy has it, and reports whether it
// succeeded. Its output is in the file whose path is LOGS, followed by the job's name.
func runJob(in *batch.RegisterJobDefinitionInput, name string, env []string) bool {
	words := make([]string, len(in.ContainerProperties.Command))
	for i, word := range in.ContainerProperties.Command {
		words[i] = strings.NewReplacer("/evidence", os.Getenv("EVIDENCE"), "/parts", os.Getenv("PARTS_DIR"),
			"/secrets", os.Getenv("SECRETS")).Replace(word)
	}
	for range *in.RetryStrategy.Attempts {
		c := command(env, words[0], words[1:]...)
		out, _ := c.Output()
		_ = os.WriteFile(os.Getenv("LOGS")+name, out, 0o600) // #nosec G703 -- the test's own folder
		code := c.ProcessState.ExitCode()
		if code == 0 || !again(in.RetryStrategy.EvaluateOnExit, code) {
			return code == 0
		}
	}
	return false
}

// again reports whether the first rule that an exit code matches is to try again. A
// host is never lost here, so that rules about it match nothing.
func again(rules []types.EvaluateOnExit, code int) bool {
	for _, r := range rules {
		if r.OnStatusReason == nil && (r.OnExitCode == nil || *r.OnExitCode == fmt.Sprint(code)) {
			return strings.EqualFold(string(r.Action), string(types.RetryActionRetry))
		}
	}
	return true
}

// TestBatch: the jobs give the bytes of walk, though a part fails at first. Where a part fails
// for good, nothing continues by itself; submit.sh join does, and the verdict is inconclusive
// and names the part.
func TestBatch(t *testing.T) {
	r := newRun(t, os.Environ())
	dir := filepath.Dir(r.parts)
	self, err := os.Executable()
	key, err2 := os.ReadFile(filepath.Join(dir, "part.key"))
	trust, err3 := os.ReadFile(r.trust)
	secrets, failed := filepath.Join(dir, "secrets"), filepath.Join(dir, "failed")
	err = errors.Join(err, err2, err3, os.Symlink(self, filepath.Join(dir, "bin", "aws")), os.Mkdir(secrets, 0o750),
		os.WriteFile(failed, nil, 0o600),
		os.WriteFile(filepath.Join(secrets, "part.key"), key, 0o400),
		os.WriteFile(filepath.Join(secrets, "trust.json"), trust, 0o600))
	if err != nil {
		t.Fatal(err)
	}
	r.env = append(r.env, "QUEUE=q", "SECRETS="+secrets, "LOGS="+dir+"/log-", "FAILED="+failed)
	submit := func(args ...string) string {
		if out, err := command(r.env, filepath.Join(folder("aws-batch"), "submit.sh"), args...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		log, err := os.ReadFile(filepath.Join(dir, "log-svc-verify-conclude"))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		return string(log)
	}
	r.before(t, "case \"$*\" in *--index\\ 5\\ *) exit 2;; esac\n")
	if got := submit(); got != "" {
		t.Errorf("after a part that failed, conclude said\n%s", got)
	}
	if got := submit("join"); !strings.Contains(got, "share 5") || !strings.Contains(got, `"inconclusive"`) {
		t.Errorf("found no share 5 in\n%s", got)
	}
	if err := os.WriteFile(failed, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r.before(
		t, `case "$*" in *--index\ 5\ *) if ! test -e "$PARTS_DIR/tried"; then touch "$PARTS_DIR/tried"; exit 2; fi;; esac
`)
	want, _ := fleet.Walk(t, r.trust, r.evidence)
	if got := submit(); got != string(want) {
		t.Errorf("found\n%s\nexpected\n%s", got, want)
	}
}
