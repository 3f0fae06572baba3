package kubernetes

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	internalbatch "k8s.io/kubernetes/pkg/apis/batch"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	internalcore "k8s.io/kubernetes/pkg/apis/core"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	jobs "k8s.io/kubernetes/pkg/registry/batch/job"
	claims "k8s.io/kubernetes/pkg/registry/core/persistentvolumeclaim"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
)

func itoa(n int32) string { return strconv.Itoa(int(n)) }

func atoi(t *testing.T, text string) int32 {
	t.Helper()
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	return int32(n)
}

// manifests is the folder of the manifests, seen from this one.
var manifests = filepath.Join("..", "..", "kubernetes")

// namespace is where everything is created.
const namespace = "default"

// read returns a file of manifests.
func read(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(manifests, name+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// decode reads manifests into the API types: a member that a type does not have, or
// has twice, is an error.
func decode(text []byte) (all []runtime.Object, err error) {
	decoder := serializer.NewCodecFactory(legacyscheme.Scheme, serializer.EnableStrict).UniversalDeserializer()
	for r := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text))); ; {
		document, err := r.Read()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		object, _, err := decoder.Decode(document, nil, nil)
		if err != nil {
			return nil, err
		}
		all = append(all, object)
	}
}

// admit treats an object as the API server treats a new one, and returns it as it would be
// stored. A warning is an error.
func admit(object runtime.Object) (runtime.Object, error) {
	legacyscheme.Scheme.Default(object)
	var internal runtime.Object
	var strategy rest.RESTCreateStrategy
	var stored runtime.Object
	asked := request.RequestInfo{IsResourceRequest: true, Verb: "create", APIVersion: "v1", Namespace: namespace}
	switch object.(type) {
	case *batch.Job:
		internal, strategy, stored = &internalbatch.Job{}, jobs.Strategy, &batch.Job{}
		asked.APIGroup, asked.Resource = "batch", "jobs"
	case *core.PersistentVolumeClaim:
		internal, strategy, stored = &internalcore.PersistentVolumeClaim{}, claims.Strategy, &core.PersistentVolumeClaim{}
		asked.Resource = "persistentvolumeclaims"
	default:
		return nil, errors.New("neither a Job nor a claim")
	}
	if err := legacyscheme.Scheme.Convert(object, internal, nil); err != nil {
		return nil, err
	}
	about, err := meta.Accessor(internal)
	if err != nil {
		return nil, err
	}
	rest.FillObjectMetaSystemFields(about)
	ctx := request.WithRequestInfo(request.WithNamespace(context.Background(), namespace), &asked)
	if err := rest.BeforeCreate(strategy, ctx, internal); err != nil {
		return nil, err
	}
	if warnings := strategy.WarningsOnCreate(ctx, internal); len(warnings) > 0 {
		return nil, errors.New(strings.Join(warnings, "; "))
	}
	return stored, legacyscheme.Scheme.Convert(internal, stored, nil)
}

// job returns a Job as the API server stores it.
func job(t *testing.T, text []byte) *batch.Job {
	t.Helper()
	all, err := decode(text)
	if err != nil || len(all) != 1 {
		t.Fatalf("expected one object, found %d: %v", len(all), err)
	}
	stored, err := admit(all[0])
	if err != nil {
		t.Fatal(err)
	}
	return stored.(*batch.Job)
}

// names are the Jobs, in the order in which they run.
var names = []string{"plan", "part", "join", "conclude"}

// TestManifests: the API server accepts every object, and a pod has no more rights than the
// restricted profile gives.
func TestManifests(t *testing.T) {
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		j := job(t, read(t, name))
		pod := j.Spec.Template
		level := api.LevelVersion{Level: api.LevelRestricted, Version: api.LatestVersion()}
		for _, r := range evaluator.EvaluatePod(level, &pod.ObjectMeta, &pod.Spec) {
			if !r.Allowed {
				t.Errorf("%s: %s: %s", name, r.ForbiddenReason, r.ForbiddenDetail)
			}
		}
		if *pod.Spec.AutomountServiceAccountToken || j.Name != "svc-verify-"+name {
			t.Errorf("%s: found the name %s, or a token", name, j.Name)
		}
		for _, c := range slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers) {
			if !*c.SecurityContext.ReadOnlyRootFilesystem || c.Resources.Limits.Memory().IsZero() ||
				c.Resources.Requests.Cpu().IsZero() {
				t.Errorf("%s: container %s may write to its root, or has no limit", name, c.Name)
			}
		}
	}
	all, err := decode(read(t, "storage"))
	if err != nil || len(all) != 2 {
		t.Fatal(len(all), err)
	}
	for _, object := range all {
		if _, err := admit(object); err != nil {
			t.Error(err)
		}
	}
}

// TestNumbers: the plan has a share for each index of part, and the groups of join
// take all of them.
func TestNumbers(t *testing.T) {
	parts := *job(t, read(t, "part")).Spec.Completions
	args := job(t, read(t, "plan")).Spec.Template.Spec.Containers[0].Args
	if i := slices.Index(args, "--parts"); i < 0 || args[i+1] != itoa(parts) {
		t.Errorf("part has %d indexes, and plan %q", parts, args)
	}
	join := job(t, read(t, "join"))
	group := atoi(t, join.Spec.Template.Spec.Containers[0].Env[0].Value)
	if want := (parts + group - 1) / group; *join.Spec.Completions != want {
		t.Errorf("join has %d indexes, expected %d", *join.Spec.Completions, want)
	}
}

// TestRefused: the members that the policies rest on cannot be left out, and the API server
// notices.
func TestRefused(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"part", "completionMode: Indexed", "completionMode: NonIndexed", "backoffLimitPerIndex"},
		{"part", "  backoffLimitPerIndex: 3\n", "", "maxFailedIndexes"},
		{"part", "restartPolicy: Never", "restartPolicy: OnFailure", "restartPolicy"},
		{"part", "values: [2]", "values: [2, 2]", "values"},
		{"part", "containerName: part", "containerName: parts", "containerName"},
		{"part", "action: FailIndex", "action: Fail", "action"},
		{"part", "maxFailedIndexes: 8", "maxFailedIndexes: 65", "maxFailedIndexes"},
		{"part", "maxFailedIndexes", "maxFailedIndex", "unknown field"},
		{"part", "{name: tmp, mountPath: /tmp}", "{name: temp, mountPath: /tmp}", "volumeMounts"},
		{"join", "$(JOB_COMPLETION_INDEX)", "1\n            completions: 2", "yaml"},
		{"conclude", "values: [1, 3]", "values: [3, 1]", "values"},
		{"conclude", "values: [1, 3]", "values: [0, 1, 3]", "values"},
	} {
		text := string(read(t, c.name))
		damaged := strings.Replace(text, c.old, c.new, 1)
		if damaged == text {
			t.Fatalf("%s has no %q", c.name, c.old)
		}
		all, err := decode([]byte(damaged))
		if err == nil {
			_, err = admit(all[0])
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, %s: expected an error with %s, found %v", c.name, c.new, c.want, err)
		}
	}
}
