package k8s

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
)

// chart is the chart, seen from this folder.
var chart = filepath.Join("..", "..", "deploy", "helm", "svc-node")

// tools builds Helm of this module, and svc-harness of the main one.
var tools = sync.OnceValues(func() (dir string, err error) {
	if dir, err = os.MkdirTemp("", "k8s-tools-"); err != nil {
		return "", err
	}
	for _, build := range []struct{ in, pkg string }{{".", "helm.sh/helm/v4/cmd/helm"},
		{filepath.Join("..", ".."), "./cmd/svc-harness"}} {
		command := exec.Command("go", "build", "-o", dir+"/", build.pkg) // #nosec G204
		command.Dir = build.in
		if out, err := command.CombinedOutput(); err != nil {
			os.Stderr.Write(out)
			return dir, err
		}
	}
	return dir, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if dir, err := tools(); err == nil {
		os.RemoveAll(dir)
	}
	os.Exit(code)
}

// tool returns the path of a program.
func tool(t *testing.T, name string) string {
	t.Helper()
	dir, err := tools()
	if err != nil {
		t.Fatal("building the tools: ", err)
	}
	return filepath.Join(dir, name)
}

// helm runs Helm, with nothing of its user's, and returns standard output and
// error.
func helm(t *testing.T, arguments ...string) (stdout, stderr []byte, err error) {
	t.Helper()
	command := exec.Command(tool(t, "helm"), arguments...) // #nosec G204
	home := t.TempDir()
	command.Env = append(os.Environ(), "HELM_CONFIG_HOME="+home, "HELM_CACHE_HOME="+home, "HELM_DATA_HOME="+home)
	var out, faults bytes.Buffer
	command.Stdout, command.Stderr = &out, &faults
	err = command.Run()
	return out.Bytes(), faults.Bytes(), err
}

// values returns one of the chart's sets of values.
func values(name string) string { return filepath.Join(chart, "ci", name+"-values.yaml") }

// render renders the chart, which is to be accepted.
func render(t *testing.T, arguments ...string) []byte {
	t.Helper()
	out, faults, err := helm(t, append([]string{"template", "oslo", chart}, arguments...)...)
	if err != nil {
		t.Fatalf("%v\n%s", err, faults)
	}
	return out
}

func TestLint(t *testing.T) {
	for _, name := range []string{"minimal", "full"} {
		if out, faults, err := helm(t, "lint", "--strict", "--values", values(name), chart); err != nil {
			t.Errorf("%s: %v\n%s%s", name, err, out, faults)
		}
	}
}

// node is the content of a release.
type node struct {
	set    *apps.StatefulSet
	config string
}

func parse(t *testing.T, manifests []byte) node {
	t.Helper()
	var n node
	for _, object := range decode(t, manifests) {
		switch o := object.(type) {
		case *apps.StatefulSet:
			n.set = o
		case *core.ConfigMap:
			n.config = o.Data["config.json"]
		case *core.Service:
		default:
			t.Errorf("found a %T", o)
		}
	}
	if n.set == nil || n.config == "" {
		t.Fatal("no StatefulSet or no config.json")
	}
	return n
}

// TestManifests: every object is of its type, a key is in no container but the
// one that copies it, and no one gets more rights than needed.
func TestManifests(t *testing.T) {
	for _, name := range []string{"minimal", "full"} {
		t.Run(name, func(t *testing.T) {
			n := parse(t, render(t, "--values", values(name)))
			pod := n.set.Spec.Template.Spec
			if *n.set.Spec.Replicas != 1 || *pod.AutomountServiceAccountToken || !*pod.SecurityContext.RunAsNonRoot {
				t.Error("found more than one replica, a token or root")
			}
			for _, c := range slices.Concat(pod.InitContainers, pod.Containers) {
				s := c.SecurityContext
				if *s.AllowPrivilegeEscalation || !*s.ReadOnlyRootFilesystem ||
					!slices.Equal(s.Capabilities.Drop, []core.Capability{"ALL"}) {
					t.Errorf("container %s: found %+v", c.Name, s)
				}
			}
			checkKeys(t, pod)
		})
	}
}

// private are the keys of Secrets that the node may only have as copies.
var private = []string{"tls.key", "bootstrap.key", "token"}

// checkKeys looks for the private keys.
func checkKeys(t *testing.T, pod core.PodSpec) {
	keys := map[string]bool{}
	for _, v := range pod.Volumes {
		if v.Secret == nil {
			continue
		}
		if mode := *v.Secret.DefaultMode; mode != 0o400 {
			t.Errorf("volume %s: found mode %#o", v.Name, mode)
		}
		if len(v.Secret.Items) == 0 {
			t.Errorf("volume %s holds the whole Secret", v.Name)
		}
		for _, item := range v.Secret.Items {
			keys[v.Name] = keys[v.Name] || slices.Contains(private, item.Key)
		}
	}
	for _, m := range pod.Containers[0].VolumeMounts {
		if keys[m.Name] {
			t.Errorf("the node has the volume %s with a key", m.Name)
		}
	}
	for _, m := range pod.InitContainers[0].VolumeMounts {
		delete(keys, m.Name)
	}
	for name, holds := range keys {
		if holds {
			t.Errorf("nobody copies the key of %s", name)
		}
	}
}

// TestRefused: values of a part that is off, missing values, and values out of their range are
// refused; values that come close are accepted.
func TestRefused(t *testing.T) {
	for set, want := range map[string]string{ // #nosec G101 -- names of values, no credentials
		"otlpAudit.exporterId=siem-1":                         "otlpAudit.exporterId is set while otlpAudit.enabled is not true",
		"otlpAudit.endpoint=https://c.example/v1/logs":        "otlpAudit.endpoint is set",
		"otlpAudit.existingSecret=s":                          "otlpAudit.existingSecret is set",
		"otlpAudit.batchSize=64":                              "otlpAudit.batchSize is set",
		"otlpAudit.requestTimeoutSeconds=15":                  "otlpAudit.requestTimeoutSeconds is set",
		"otlpAudit.pollIntervalSeconds=5":                     "otlpAudit.pollIntervalSeconds is set",
		"dependencyDiscovery.intervalSeconds=60":              "dependencyDiscovery.intervalSeconds is set",
		"secretStore.address=https://store.example":           "secretStore.address is set while secretStore.enabled is not true",
		"secretStore.reload.binaryPath=/bin/true":             "/secretStore/reload",
		"secretStore.namespace=teams":                         "secretStore.namespace is set",
		"secretStore.clientCertificate=false":                 "secretStore.clientCertificate is set",
		"secretStore.enabled=true":                            "secretStore.adapterReference is required",
		"secretStore.tokenFile=/tmp/token":                    "additional properties 'tokenFile' not allowed",
		"dependencyDiscovery.enabled=true":                    "dependencyDiscovery.probes is required",
		"otlpAudit.enabled=true":                              "otlpAudit.exporterId is required",
		"otlpAudit.unknown=1":                                 "additional properties 'unknown' not allowed",
		"otlpaudit.enabled=true":                              "additional properties 'otlpaudit' not allowed",
		"tenantId=":                                           "tenantId is required",
		"nodeId=a/b":                                          "nodeId",
		"cloud.url=http://cloud.example":                      "/cloud/url",
		"cloud.url=https://cloud.example/":                    "/cloud/url",
		"cloud.requestTimeoutSeconds=1":                       "minimum",
		"cloud.existingSecret=":                               "cloud.existingSecret is required",
		"localApi.existingSecret=":                            "localApi.existingSecret is required",
		"image.tag=":                                          "image.tag or image.digest is required",
		"policyPublicKeys.policy-2026-1=short":                "policyPublicKeys",
		"localApi.trustEventSubscriberSpiffePrefixes[0]=acme": "trustEventSubscriberSpiffePrefixes",
	} {
		_, faults, err := helm(t, "template", "oslo", chart, "--values", values("minimal"), "--set", set)
		if err == nil || !strings.Contains(string(faults), want) {
			t.Errorf("%s: %v, found\n%s\nexpected %s", set, err, faults, want)
		}
	}
	for _, set := range []string{
		"otlpAudit.exporterId=", "otlpAudit.enabled=false", "secretStore.enabled=false", "secretStore.healthUrl=",
		"image.tag=2.0.0",
		"otlpAudit.enabled=true,otlpAudit.exporterId=s,otlpAudit.endpoint=https://c.example/v1/logs,otlpAudit.existingSecret=s",
	} {
		render(t, "--values", values("minimal"), "--set", set)
	}
	for _, set := range []string{
		"otlpAudit.batchSize=65", "otlpAudit.endpoint=https://c.example:4318/v1/logs?x",
		"otlpAudit.endpoint=http://c.example/v1/logs", "otlpAudit.pollIntervalSeconds=301",
		"secretStore.address=http://store.example", "secretStore.address=https://store.example/v1",
		"secretStore.healthUrl=https://payments.example", "secretStore.kvMount=a/b",
		"secretStore.rollbackWindowSeconds=59", "secretStore.requestTimeoutSeconds=61", "secretStore.reload.binarySha256=",
		"secretStore.reload.binaryPath=reload", "secretStore.kvBasePath=",
	} {
		if _, _, err := helm(t, "template", "oslo", chart, "--values", values("full"), "--set", set); err == nil {
			t.Errorf("%s was accepted", set)
		}
	}
}
