package shapes

import (
	"fmt"
	"strings"
)

// operationsShapes are the event in what tools of operations print and keep.
func operationsShapes() []Shape {
	const (
		ansible = "Ansible: ansible.builtin.debug, " +
			"https://docs.ansible.com/ansible/latest/collections/ansible/builtin/debug_module.html"
		tfstate = "Terraform: State, https://developer.hashicorp.com/terraform/language/state"
		kubemap = "Kubernetes: ConfigMaps, https://kubernetes.io/docs/concepts/configuration/configmap/"
		opaque  = "Kubernetes: Secrets, https://kubernetes.io/docs/concepts/configuration/secret/"
		helm    = "Helm: Values files, https://helm.sh/docs/chart_template_guide/values_files/"
		docker  = "Docker: docker inspect, https://docs.docker.com/reference/cli/docker/inspect/"
		get     = "kubectl get configmap audit -o jsonpath='{.data}'"
	)
	indented := spelling{colon: ": ", comma: ", ", indent: "    "}
	return []Shape{
		{
			Name: "ansible/debug", Document: ansible, Export: "ansible.builtin.fetch", Keeps: Octets,
			Write: page{name: "ansible.log", head: "TASK [Show the log] " + strings.Repeat("*", 60) + "\n"}.of(
				func(r record) string {
					return "ok: [berlin] => (item=" + r.id() + ") => {\n    \"msg\": " + compact.quote(r.line) + "\n}\n"
				}),
		},
		{
			Name: "ansible/stdout-lines", Document: ansible, Export: "ansible.builtin.fetch", Keeps: Octets,
			Write: page{
				"ansible.log", "TASK [debug] " + strings.Repeat("*", 67) + "\nok: [berlin] => {\n    \"log.stdout_lines\": [\n",
				",\n",
				"\n    ]\n}\n\nPLAY RECAP " + strings.Repeat("*", 69) + "\nberlin : ok=2 changed=1 unreachable=0 failed=0\n",
			}.of(func(r record) string { return "        " + compact.quote(r.line) }),
		},
		{
			Name: "ansible/debug-object", Document: ansible, Export: "ansible.builtin.fetch", Keeps: Values,
			Loses: "Ansible parses what looks like JSON, orders members by name and indents them.",
			Write: page{name: "ansible.log", head: "TASK [Show the log] " + strings.Repeat("*", 60) + "\n"}.of(
				func(r record) string {
					s := indented
					s.order = strings.Compare
					return "ok: [berlin] => (item=" + r.id() + ") => {\n    \"msg\": " + s.value([]byte(r.line), "\n    ") + "\n}\n"
				}),
		},
		{
			Name: "terraform/state", Document: tfstate, Export: "terraform state pull", Keeps: Octets,
			Write: page{
				"terraform.tfstate", "{\n  \"version\": 4,\n  \"terraform_version\": \"1.9.0\",\n  \"serial\": 3,\n  " +
					"\"outputs\": {\n", ",\n",
				"\n  },\n  \"resources\": []\n}\n",
			}.of(func(r record) string {
				return "    \"line_" + r.id() + "\": {\n      \"value\": " + goSpelling.quote(r.line) +
					",\n      \"type\": \"string\"\n    }"
			}),
		},
		{
			Name: "kubernetes/configmap-yaml", Document: kubemap, Export: get, Keeps: Octets,
			Write: page{"audit.yaml", "apiVersion: v1\ndata:\n  audit.jsonl: |\n", "",
				"kind: ConfigMap\nmetadata:\n  name: audit\n"}.of(
				func(r record) string { return "    " + r.line + "\n" }),
		},
		{
			Name: "kubernetes/configmap-json", Document: kubemap, Export: get, Keeps: Octets,
			Write: encoded("audit.json", plain(""), func(b []byte) []byte {
				return []byte("{\n    \"apiVersion\": \"v1\",\n    \"data\": {\n        \"audit.jsonl\": " +
					goSpelling.quote(string(b)) +
					"\n    },\n    \"kind\": \"ConfigMap\"\n}\n")
			}),
		},
		{
			Name: "kubernetes/secret-yaml", Document: opaque, Export: get, Keeps: Octets,
			Write: encoded("secret.yaml", plain(""), func(b []byte) []byte {
				return []byte("apiVersion: v1\ndata:\n  audit.jsonl: " + base64Text(string(b)) +
					"\nkind: Secret\nmetadata:\n  name: audit\ntype: Opaque\n")
			}),
		},
		{
			Name: "kubernetes/secret-json", Document: opaque, Export: get, Keeps: Octets,
			Write: encoded("secret.json", plain(""), func(b []byte) []byte {
				return []byte("{\n    \"apiVersion\": \"v1\",\n    \"data\": {\n        \"audit.jsonl.gz\": \"" +
					base64Text(string(gzipped(b))) +
					"\"\n    },\n    \"kind\": \"Secret\"\n}\n")
			}),
		},
		{
			Name: "kubernetes/events-json", Keeps: Octets, Export: "kubectl get events -o json",
			Document: "Kubernetes: Event v1, https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/event-v1/",
			Write: page{"events.json", "{\n    \"apiVersion\": \"v1\",\n    \"items\": [\n", ",\n",
				"\n    ],\n    \"kind\": \"List\"\n}\n"}.of(func(r record) string {
				return "        {\n            \"kind\": \"Event\",\n            \"message\": " + goSpelling.quote(r.line) +
					",\n            \"firstTimestamp\": \"" + r.iso() + "\"\n        }"
			}),
		},
		{
			Name: "helm/values", Document: helm, Export: "helm get values -o json", Keeps: Octets,
			Write: page{"values.yaml", "audit:\n  seed: |-\n", "\n", "\n  enabled: true\n"}.of(func(r record) string {
				return "    " + r.line
			}),
		},
		{
			Name: "docker/inspect", Document: docker, Export: "docker cp", Keeps: Octets,
			Write: page{"inspect.json", "[\n    {\n        \"Id\": \"4f1\",\n        \"Config\": {\n            \"Env\": [\n",
				",\n",
				"\n            ]\n        }\n    }\n]\n"}.of(func(r record) string {
				return "                " + goSpelling.quote("LINE_"+r.id()+"="+r.line)
			}),
		},
		{
			Name: "prometheus/alertmanager", Keeps: Octets, Export: "amtool alert query -o json",
			Document: "Prometheus: Alertmanager webhook, " +
				"https://prometheus.io/docs/alerting/latest/configuration/#webhook_config",
			Write: page{"alerts.json", `{"version":"4","status":"firing","alerts":[`, ",", "]}"}.of(func(r record) string {
				return fmt.Sprintf(`{"status":"firing","labels":{"n":"%d"},"annotations":{"line":%s},"startsAt":"%s"}`, r.n,
					goSpelling.quote(r.line), r.iso())
			}),
		},
	}
}

// nestedShapes are JSON in strings of JSON.
func nestedShapes() []Shape {
	const document = "RFC 8259: The JavaScript Object Notation, strings, https://www.rfc-editor.org/rfc/rfc8259#section-7"
	const export = "the innermost text"
	var all []Shape
	for depth := 1; depth <= 8; depth++ {
		all = append(all, Shape{
			Name: fmt.Sprintf("json/depth-%d", depth), Document: document, Export: export, Keeps: Octets,
			Write: lined("audit.jsonl", func(r record) string {
				text := r.line
				for range depth {
					text = `{"message":` + compact.quote(text) + `}`
				}
				return text
			}),
		})
	}
	return append(all,
		Shape{
			Name: "json/array-of-events", Document: document, Export: export, Keeps: Octets,
			Write: page{"audit.json", "[\n", ",\n", "\n]\n"}.of(func(r record) string { return r.line }),
		},
		Shape{
			Name: "json/array-of-strings", Document: document, Export: export, Keeps: Octets,
			Write: page{"audit.json", "[", ",", "]"}.of(func(r record) string { return goSpelling.quote(r.line) }),
		},
		Shape{
			Name: "json/one-string", Document: document, Export: export, Keeps: Octets,
			Write: encoded("audit.json", plain(""), func(b []byte) []byte {
				return []byte(`{"log":` + python.quote(string(b)) + "}")
			}),
		},
		Shape{
			Name: "json/gzip-in-base64", Document: document, Export: export, Keeps: Octets,
			Write: encoded("audit.json", plain(""), func(b []byte) []byte {
				return []byte(`{"encoding":"gzip","data":"` + base64Text(string(gzipped(b))) + `"}`)
			}),
		},
		Shape{
			Name: "json/base64-lines", Document: document, Export: export, Keeps: Octets,
			Write: lined("audit.jsonl", func(r record) string {
				return `{"n":` + r.id() + `,"data":"` + base64Text(r.line) + `"}`
			}),
		},
		Shape{
			Name: "json/indented", Document: document, Export: export, Keeps: Values,
			Loses: "The formatter writes each value on a line of its own.",
			Write: lined("audit.json", func(r record) string {
				return spelling{colon: ": ", comma: ", ", indent: "  "}.respell(r.line)
			}),
		},
		Shape{
			Name: "json/sorted-backwards", Document: document, Export: export, Keeps: Values, Loses: "The order of members.",
			Write: lined("audit.json", func(r record) string {
				return spelling{colon: ":", comma: ",", order: func(a, b string) int {
					return strings.Compare(b,
						a)
				}}.respell(r.line)
			}),
		},
		Shape{
			Name: "jq/escaped", Document: "jq: Manual, --ascii-output, https://jqlang.org/manual/", Export: "jq -c .",
			Keeps: Values,
			Loses: "jq writes escapes anew, and numbers beyond 2^53 differently.",
			Write: lined("audit.json", func(r record) string {
				return spelling{ascii: true, colon: ":", comma: ","}.respell(r.line)
			}),
		})
}
