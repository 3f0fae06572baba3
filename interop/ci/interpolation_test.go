package ci

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// component contains the members of the component that count here.
type component struct {
	Spec struct {
		Inputs map[string]struct {
			Default string
			Regex   string
		}
	}
}

// TestInterpolation: GitLab writes inputs into the text of the component, before it is
// read as YAML. Whatever they are, they are values of variables, and nothing else.
func TestInterpolation(t *testing.T) {
	doc := text(t, "ci/gitlab/templates/svc-verify.yml")
	header, body, _ := strings.Cut(doc, "\n---\n")
	var c component
	must.Do(t, yaml.Unmarshal([]byte(header), &c))
	usual := map[string]string{}
	for name, input := range c.Spec.Inputs {
		usual[name] = input.Default
	}
	plain := variables(t, written(body, usual))
	tried := 0
	for _, value := range []string{
		"a b", " two", "# no comment", "\"", "'", "\\n", "a: b", "- a", "[a, {b: c}]", "&a *a !!int", "|", "> x", "---",
		"...", "%TAG", "@`",
		"\tb", "$[[ inputs.trust ]]", "ü\u00a0\u2026\U0001f600", "x\"\n  script: [evil]", "a\u0085  script: [evil]",
		"a\u2028b", "a\rb", "null", "~", "0x1",
	} {
		inputs, admitted := maps.Clone(usual), true
		for name, input := range c.Spec.Inputs {
			if slices.Contains([]string{"job-name", "stage", "image", "command"}, name) {
				continue // names, and one of two words
			}
			if regexp.MustCompile(input.Regex).MatchString(value) {
				inputs[name] = value
			} else {
				admitted = false
			}
		}
		check.That(t, strings.ContainsAny(value, "\n\r\u0085\u2028\u2029") != admitted, "%q is admitted: %v", value, admitted)
		if !admitted {
			continue
		}
		tried++
		got := variables(t, written(body, inputs))
		for name, was := range plain {
			want := was
			if m := regexp.MustCompile(`\n    ` + name +
				`:\n.*\n.*\n        \$\[\[ inputs\.([a-z-]+) \]\]\n`).FindStringSubmatch(body); m != nil {
				want = inputs[m[1]]
			}
			check.Equal(t, got[name], want, "%q: %s", value, name)
		}
		check.Equal(t, len(got), len(plain), "%q makes other variables: %q", value, got)
	}
	check.That(t, tried >= 15, "only %d values were tried", tried)
}

// written is the text of a component with its inputs in it.
func written(body string, inputs map[string]string) string {
	return regexp.MustCompile(`\$\[\[ inputs\.([a-z-]+) \]\]`).ReplaceAllStringFunc(body, func(block string) string {
		return inputs[strings.TrimSuffix(strings.TrimPrefix(block, "$[[ inputs."), " ]]")]
	})
}

// variables returns the variables of the one job, which has one script as ever.
func variables(t *testing.T, body string) map[string]string {
	t.Helper()
	var jobs map[string]struct {
		Variables map[string]any
		Script    []string
	}
	must.OK(t, yaml.Unmarshal([]byte(body), &jobs), "%s", body)
	job, ok := jobs["svc-verify"]
	must.That(t, ok && len(jobs) == 1 && len(job.Script) == 1 && strings.HasPrefix(job.Script[0], "set -euo pipefail\n"),
		"the jobs are %v", jobs)
	all := map[string]string{}
	for name, v := range job.Variables {
		switch v := v.(type) {
		case string:
			all[name] = v
		case map[string]any:
			all[name], _ = v["value"].(string)
			check.Equal[any](t, v["expand"], false, "%s is expanded", name)
		}
	}
	return all
}
