package prometheus

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// pack is the monitoring pack, seen from this folder.
var pack = filepath.Join("..", "..", "deploy", "monitoring")

// TestPack lets promtool judge the delivered files.
func TestPack(t *testing.T) {
	promtool := must.Program(t, "promtool")
	for _, c := range []struct{ command, files string }{
		{"check rules", "*.rules.yml"}, {"test rules", "*_test.yml"}, {"check config --syntax-only", "prometheus.yml"},
	} {
		files, err := filepath.Glob(filepath.Join(pack, c.files))
		must.That(t, err == nil && len(files) != 0, "no files of %v: %v", c.files, err)
		if out, err := exec.Command(promtool,
			append(strings.Fields(c.command), files...)...).CombinedOutput(); err != nil { // #nosec G204
			t.Errorf("promtool %s: %v\n%s", c.command, err, out)
		}
	}
}

// TestMetrics lets promtool judge a node's metrics: a golden file of the agent, with a number
// for each value.
func TestMetrics(t *testing.T) {
	text := must.Get(os.ReadFile(filepath.Join("..", "..", "agent", "testdata", "metrics-otlp.txt")))(t)
	metrics := strings.ReplaceAll(string(text), " N\n", " 1\n")
	for _, c := range []struct {
		text string
		ok   bool
	}{{metrics, true}, {strings.Replace(metrics, " 1\n", " N\n", 1), false}} {
		command := exec.Command(must.Program(t, "promtool"), "check", "metrics") // #nosec G204
		command.Stdin = strings.NewReader(c.text)
		if out, err := command.CombinedOutput(); (err == nil && len(out) == 0) != c.ok {
			t.Errorf("promtool: %v, want %v\n%s", err, c.ok, out)
		}
	}
}

// suggested are the alerts that the service promises.
var suggested = map[string]string{
	"Policy sync failing":  "for: 15m labels: severity: page",
	"OTLP backlog growing": "for: 30m labels: severity: ticket",
	"OTLP cursor stalled":  "labels: severity: page",
}

// TestSuggestedAlerts: they have their names, durations and severities.
func TestSuggestedAlerts(t *testing.T) {
	rules := read(t, filepath.Join(pack, "svc-node.rules.yml"))
	for name, want := range suggested {
		rule := regexp.MustCompile(`(?s)- alert: ` + name + "\n.*?annotations:").FindString(rules)
		_, behind, _ := strings.Cut(strings.Join(strings.Fields(rule), " "), " for: ")
		if !strings.HasPrefix(want, "for:") {
			_, behind, _ = strings.Cut(strings.Join(strings.Fields(rule), " "), " labels: ")
			behind = "labels: " + behind
		} else {
			behind = "for: " + behind
		}
		check.That(t, behind == want+" annotations:", "%s: found %q, expected %q", name, behind, want)
	}
}

// series are the metrics that the service promises, with their types and
// labels.
var series = map[string]string{
	"svc_node_requests_total":                             "counter",
	`svc_node_policy_decisions_total{decision="allow"}`:   "counter",
	`svc_node_policy_decisions_total{decision="deny"}`:    "counter",
	"svc_node_certificates_issued_total":                  "counter",
	"svc_node_outbox_queued_total":                        "counter",
	"svc_node_rotations_promoted_total":                   "counter",
	`svc_node_policy_sync_total{result="success"}`:        "counter",
	`svc_node_policy_sync_total{result="failure"}`:        "counter",
	"svc_node_registration_sync_total":                    "counter",
	"svc_node_trust_event_batches_total":                  "counter",
	"svc_node_trust_events_delivered_total":               "counter",
	"svc_node_dependency_probes_total":                    "counter",
	"svc_node_dependency_observations_total":              "counter",
	`svc_node_otlp_audit_exports_total{result="success"}`: "counter",
	`svc_node_otlp_audit_exports_total{result="failure"}`: "counter",
	"svc_node_otlp_audit_cursor":                          "gauge",
	"svc_node_otlp_audit_source_head":                     "gauge",
	"svc_node_otlp_audit_backlog":                         "gauge",
}

// TestRulesNameOnlyMetricsThatThereAre: a rule on a metric that no node has
// would never fire.
func TestRulesNameOnlyMetricsThatThereAre(t *testing.T) {
	rules := regexp.MustCompile(`(?m)#.*$`).ReplaceAllString(read(t, filepath.Join(pack, "svc-node.rules.yml")), "")
	named := regexp.MustCompile(`svc_node_\w+`).FindAllString(rules, -1)
	check.That(t, len(named) >= 8, "found %q", named)
	for _, name := range named {
		isOne := func(s string) bool { return strings.HasPrefix(s+"{", name+"{") }
		check.That(t, slices.ContainsFunc(slices.Collect(maps.Keys(series)), isOne), "%s is no metric of a node", name)
	}
}

// TestAlerts runs a node and a Prometheus.
func TestAlerts(t *testing.T) {
	promtool, program := must.Program(t, "promtool"), must.Program(t, "prometheus")
	dir := t.TempDir()
	n := startNode(t, dir)
	checkMetrics(t, promtool, n)
	p := startPrometheus(t, promtool, program, dir, n.address)

	p.await(t, "the node's series", `up{job="svc-node"} == 1`)
	for name := range series {
		p.await(t, name, name)
	}
	p.await(t, "the delivered alert", `ALERTS{alertname="Policy sync failing",alertstate="pending",severity="page"}`)
	p.await(t, "the hurried alert", `ALERTS{alertname="Policy sync failing, hurried",alertstate="firing",severity="page"}`)
	p.never(t,
		"the node is well otherwise", `ALERTS{alertname=~"(Node not answering|OTLP backlog growing|OTLP cursor `+
			`stalled|Rotation not progressing)"}`)

	n.stop()
	p.await(t, "the delivered alert", `ALERTS{alertname="Node not answering",alertstate="pending",severity="page"}`)
	p.await(t, "the hurried alert", `ALERTS{alertname="Node not answering, hurried",alertstate="firing",severity="page"}`)
}

// checkMetrics lets promtool judge the node's answer, and compares it with the service's
// series.
func checkMetrics(t *testing.T, promtool string, n *node) {
	t.Helper()
	text := n.get(t, "/metrics")
	command := exec.Command(promtool, "check", "metrics")
	command.Stdin = strings.NewReader(text)
	if out, err := command.CombinedOutput(); err != nil {
		t.Errorf("promtool check metrics: %v\n%s", err, out)
	}
	found := map[string]bool{}
	for line := range strings.Lines(text) {
		if name, _, ok := strings.Cut(line, " "); ok && !strings.HasPrefix(line, "#") {
			found[name] = true
		}
	}
	for name, kind := range series {
		base, _, _ := strings.Cut(name, "{")
		check.That(t, found[name] && strings.Contains(text, "# TYPE "+base+" "+kind+"\n"), "%s, a %s, is missing", name, kind)
		delete(found, name)
	}
	for name := range found {
		t.Errorf("%s is no metric of the service", name)
	}
}

// prometheus is a running Prometheus.
type prometheus struct{ url string }

// startPrometheus runs a Prometheus with the delivered files, in which only the targets and
// the intervals are replaced, and with a copy of the rules whose waits are 1 s.
func startPrometheus(t *testing.T, promtool, program, dir, target string) *prometheus {
	t.Helper()
	rules := read(t, filepath.Join(pack, "svc-node.rules.yml"))
	write(t, filepath.Join(dir, "svc-node.rules.yml"), rules)
	hurried := regexp.MustCompile(`for: \d+[mh]`).ReplaceAllString(rules, "for: 1s")
	write(t, filepath.Join(dir, "hurried.rules.yml"),
		regexp.MustCompile(`(?m)- alert: .*$`).ReplaceAllString(hurried, "$0, hurried"))
	write(t, filepath.Join(dir, "renewals.rules.yml"), read(t, filepath.Join(pack, "renewals.rules.yml")))
	config := read(t, filepath.Join(pack, "prometheus.yml"))
	config = regexp.MustCompile(`evaluation_interval: \w+`).ReplaceAllString(config, "evaluation_interval: 1s")
	// A scrape that is slow is no node that is down.
	config = regexp.MustCompile(`(scrape_interval|scrape_timeout): \w+`).ReplaceAllString(config, "$1: 4s")
	config = regexp.MustCompile(`(?s)(- targets:\n).*$`).ReplaceAllString(config, "$1          - "+target+"\n")
	config = strings.Replace(config, "rule_files:\n", "rule_files:\n  - hurried.rules.yml\n", 1)
	path := filepath.Join(dir, "prometheus.yml")
	write(t, path, config)
	if out, err := exec.Command(promtool, "check", "config", path).CombinedOutput(); err != nil { // #nosec G204
		t.Fatalf("%v\n%s", err, out)
	}
	address := freeAddress(t)
	start(t, "prometheus", exec.Command(program, "--config.file="+path,
		"--storage.tsdb.path="+filepath.Join(dir, "tsdb"), // #nosec G204
		"--web.listen-address="+address))
	return &prometheus{"http://" + address}
}

// query returns how many series an expression has now.
func (p *prometheus) query(ctx context.Context, expression string) (int, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, p.url+"/api/v1/query?query="+
		url.QueryEscape(expression), nil)
	if err != nil {
		return 0, err
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	var result struct {
		Status, Error string
		Data          struct{ Result []json.RawMessage }
	}
	if err := json.NewDecoder(answer.Body).Decode(&result); err != nil {
		return 0, err
	}
	if result.Status != "success" {
		return 0, fmt.Errorf("%s: %s", expression, result.Error)
	}
	return len(result.Data.Result), nil
}

// await waits until an expression has a series.
func (p *prometheus) await(t *testing.T, what, expression string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	for {
		n, err := p.query(ctx, expression)
		if n > 0 {
			return
		}
		must.OK(t, ctx.Err(), "waited in vain for %s: %s: %v", what, expression, err)
		time.Sleep(100 * time.Millisecond)
	}
}

// never demands that an expression has no series, and had none so far.
func (p *prometheus) never(t *testing.T, what, expression string) {
	t.Helper()
	if n, err := p.query(t.Context(), "last_over_time("+expression+"[10m])"); n > 0 || err != nil {
		t.Errorf("%s: found %d series, %v", what, n, err)
	}
}
