package consumer_test

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"text/template"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/kv"
	"github.com/svc-edge/svc-verify/service/kv/kvtest"
	"github.com/svc-edge/svc-verify/service/secretstore/record"
)

// deployed is where the files for the operator are.
const deployed = "../../deploy/secret-store"

func file(t *testing.T, path string) string {
	t.Helper()
	return string(must.Get(os.ReadFile(filepath.FromSlash(path)))(t))
}

var (
	policyRule = regexp.MustCompile(`(?m)^ *path "([^"]+)" +\{\s*capabilities = \[([^\]]*)\]\s*\}$`)
	comment    = regexp.MustCompile(`(?m)^#.*$`)
)

// rulesOf reads a policy, which must contain nothing but rules.
func rulesOf(t *testing.T, policy string) []kv.Rule {
	t.Helper()
	policy = comment.ReplaceAllString(policy, "")
	var rules []kv.Rule
	for _, m := range policyRule.FindAllStringSubmatch(policy, -1) {
		rules = append(rules, kv.Rule{Path: m[1], Capabilities: strings.Split(strings.ReplaceAll(m[2], `"`, ""), ", ")})
	}
	check.Equal(t, strings.TrimSpace(policyRule.ReplaceAllString(policy, "")), "", "what is left of the policy")
	return rules
}

// TestPolicies: the policies for the operator, the page's and the tests' are the same.
func TestPolicies(t *testing.T) {
	for name, want := range map[string][]kv.Rule{"adapter": kv.AdapterRules("kv", base),
		"consumer": kv.ConsumerRules("kv", base)} {
		found := rulesOf(t, file(t, deployed+"/"+name+".hcl"))
		check.That(t, reflect.DeepEqual(found, want), "%s: expected %v, found %v", name, want, found)
	}
	page := file(t, "../../docs/secret-store.md")
	var lines []string
	for _, line := range policyRule.FindAllString(page, -1) {
		lines = append(lines, strings.NewReplacer("<mount>", "kv", "<base>", base).Replace(line))
	}
	found := rulesOf(t, strings.Join(lines, "\n"))
	check.That(t, reflect.DeepEqual(found, kv.AdapterRules("kv", base)), "the page has %v", found)
}

// render executes the template for the agent with the agent's functions that it uses, as a
// client with a consumer's token.
func render(t *testing.T, b kvtest.Backend, text string) (string, error) {
	t.Helper()
	c := kvtest.As(t, b, b.Token(t, kv.ConsumerRules(b.Mount, base)...))
	parsed, err := template.New("pair").Option("missingkey=error").Funcs(template.FuncMap{
		"sha256Hex":  func(s string) string { return seal.SHA256([]byte(s)) },
		"sprig_fail": func(s string) (string, error) { return "", errors.New(s) },
		"secret": func(path string) (any, error) {
			a := c.Do(http.MethodGet, path, nil)
			if a.Status != http.StatusOK {
				return nil, fmt.Errorf("no secret exists at %s: status %d", path, a.Status)
			}
			return map[string]any{"Data": a.Data()}, nil
		},
	}).Parse(text)
	must.Do(t, err)
	var out strings.Builder
	err = parsed.Execute(&out, nil)
	return out.String(), err
}

// TestAgentTemplate: the template renders the pair that the pointer names and
// nothing else, or fails.
func TestAgentTemplate(t *testing.T) {
	kvtest.Each(t, func(t *testing.T, b kvtest.Backend) {
		const path = `"kv/data/` + base + `"`
		text := file(t, deployed+"/pair.ctmpl")
		must.Equal(t, strings.Count(text, path), 1, "the template does not name %s once", path)
		text = strings.ReplaceAll(text, path, `"`+b.Mount+`/data/`+base+`"`)
		writer := client(t, b, kv.AdapterRules(b.Mount, base))
		version := int64(0)
		point := func(slot int64, digest string) {
			p := record.Pointer{Active: record.Named{Slot: slot, SHA256: digest}, UpdatedAt: seal.Time(time.Now())}
			write(t, writer, record.PointerPath, version, p.Object())
			version++
		}
		fails := func(why string) {
			t.Helper()
			if out, err := render(t, b, text); err == nil || !strings.Contains(err.Error(), why) || out != "" {
				t.Errorf("expected %q, found %d bytes, %v", why, len(out), err)
			}
		}
		fails("no secret exists")
		one, two, three := generation(t, 1), generation(t, 2), generation(t, 3)
		three.CertificatePEM = one.CertificatePEM
		for _, g := range []record.Generation{one, two, three} {
			write(t, writer, record.GenerationPath(g.Slot), 0, g.Object())
		}
		for _, g := range []record.Generation{one, two} {
			point(g.Slot, g.CertificateSHA256)
			if out, err := render(t, b, text); err != nil || out != g.CertificatePEM+g.PrivateKeyPEM {
				t.Errorf("%v: found %d bytes, %v", g, len(out), err)
			}
		}
		point(1, two.CertificateSHA256)
		fails("not the one that the pointer names")
		point(3, three.CertificateSHA256)
		fails("another digest")
		point(4, one.CertificateSHA256)
		fails("no secret exists")
	})
}
