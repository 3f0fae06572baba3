package shapes

import (
	"encoding/binary"

	"google.golang.org/protobuf/encoding/protowire"
)

const runtimeDocker = "Docker documentation, https://docs.docker.com/engine/logging/drivers/"

const runtimeCri = "Kubernetes, CRI logging format, " +
	"https://github.com/kubernetes/design-proposals-archive/blob/main/node/kubelet-cri-logging.md"

const runtimeKubectl = "kubectl reference, kubectl logs, " +
	"https://kubernetes.io/docs/reference/kubectl/generated/kubectl_logs/"

const runtimeStern = "stern, https://github.com/stern/stern#output"

const runtimeSplits = "Lines above 16 KiB become several records, which say so."

const runtimeHalves = "Lines above 16 KiB become several records; a character on the cut is replaced."

func dockerShapes() []Shape {
	return []Shape{
		{Name: "docker/json-file", Document: runtimeDocker + "json-file/", Export: "the file, or docker logs",
			Keeps: Octets,
			Loses: runtimeHalves, Cuts: true,
			Write: parts("6f-json.log", partSize, whole, func(r record, more bool) string {
				return dockerLine(r, more, "") +
					"\n"
			})},
		{Name: "docker/json-file-attributes", Document: runtimeDocker + "json-file/",
			Export: "the file, with --log-opt labels",
			Keeps:  Octets, Loses: runtimeHalves, Cuts: true, Batch: true,
			Write: parts("6f-json.log", partSize, whole, func(r record, more bool) string {
				return dockerLine(r, more, `,"attrs":{"`+batchKey+`":"`+r.batch+`"}`) + "\n"
			})},
		{Name: "docker/local", Document: runtimeDocker + "local/", Export: "docker logs", Keeps: Octets,
			Loses: runtimeSplits,
			Cuts:  true, Write: split("container.log", partSize, dockerLocal)},
		{Name: "docker/logs", Document: "Docker CLI, docker logs, " +
			"https://docs.docker.com/reference/cli/docker/container/logs/", Export: "docker logs", Keeps: Octets,
			Write: lined("logs.txt", func(r record) string { return r.line })},
		{Name: "docker/logs-t", Document: "Docker CLI, docker logs -t, " +
			"https://docs.docker.com/reference/cli/docker/container/logs/", Export: "docker logs, without -t", Keeps: Octets,
			Loses: "A time stands before each part of a line above 16 KiB.", Write: lined("logs.txt",
				func(r record) string { return r.nano() + " " + r.line })},
		{Name: "docker/logs-t-long", Document: "Docker CLI, docker logs -t, " +
			"https://docs.docker.com/reference/cli/docker/container/logs/", Export: "docker logs, without -t",
			Keeps: Less, Lost: longer(partSize), Cuts: true,
			Loses: "A time stands before each part of a line above 16 KiB, within the line.",
			Write: split("logs.txt", partSize, func(r record, more bool) string {
				return r.nano() + " " + r.line +
					ended(more)
			})},
		{Name: "docker/compose", Document: "Docker CLI, docker compose logs, " +
			"https://docs.docker.com/reference/cli/docker/compose/logs/", Export: "docker compose logs --no-log-prefix",
			Keeps: Octets, Write: lined("compose.txt", func(r record) string { return "edge-1  | " + r.line })},
		{Name: "docker/service", Document: "Docker CLI, docker service logs, " +
			"https://docs.docker.com/reference/cli/docker/service/logs/", Export: "docker service logs --raw",
			Keeps: Octets, Write: lined("service.txt", func(r record) string {
				return "edge.1.w5z7pq@berlin    | " +
					r.line
			})},
	}
}

func containerdShapes() []Shape {
	return []Shape{
		{Name: "containerd/cri", Document: runtimeCri, Export: "the files of /var/log/pods", Keeps: Octets,
			Loses: runtimeSplits,
			Cuts:  true,
			Write: split("0.log", partSize, func(r record, more bool) string {
				return r.nano() + " stdout " + criTag(more) +
					" " + r.line + "\n"
			})},
		{Name: "containerd/cri-two-streams", Document: runtimeCri, Export: "the files of /var/log/pods", Keeps: Octets,
			Loses: runtimeSplits, Cuts: true,
			Write: split("0.log", partSize, func(r record, more bool) string {
				return r.nano() + " stdout " + criTag(more) + " " + r.line + "\n" + r.nano() +
					" stderr F level=info msg=\"synced\"\n"
			})},
		{Name: "cri-o/file", Document: "CRI-O, crio.conf(5), " +
			"https://github.com/cri-o/cri-o/blob/main/docs/crio.conf.5.md", Export: "the files of /var/log/pods", Keeps: Octets,
			Loses: "Lines above 8 KiB become several records, which say so.", Cuts: true, Write: split("0.log", 8192,
				func(r record, more bool) string {
					return r.at.Format("2006-01-02T15:04:05.000000000+00:00") + " stdout " + criTag(more) + " " + r.line + "\n"
				})},
		{Name: "podman/k8s-file", Document: "Podman, podman-run(1), --log-driver, " +
			"https://docs.podman.io/en/latest/markdown/podman-run.1.html", Export: "podman logs", Keeps: Octets,
			Loses: "Lines above 8 KiB become several records, which say so.", Cuts: true, Write: split("ctr.log", 8192,
				func(r record, more bool) string {
					return r.at.Format("2006-01-02T15:04:05.000000000+01:00") + " stdout " + criTag(more) + " " + r.line + "\n"
				})},
		{Name: "podman/logs", Document: "Podman, podman-logs(1), " +
			"https://docs.podman.io/en/latest/markdown/podman-logs.1.html", Export: "podman logs", Keeps: Octets,
			Write: lined("logs.txt", func(r record) string {
				return "6fd3a5b1c2d4 " + r.at.Format("2006-01-02T15:04:05.000000000+00:00") + " " + r.line
			})},
	}
}

func crictlShapes() []Shape {
	return []Shape{
		{Name: "crictl/logs", Document: "cri-tools, crictl logs -t, " +
			"https://github.com/kubernetes-sigs/cri-tools/blob/master/docs/crictl.md", Export: "crictl logs", Keeps: Octets,
			Write: lined("logs.txt", func(r record) string { return r.nano() + " " + r.line })},
		{Name: "nerdctl/logs", Document: "nerdctl logs -t, " +
			"https://github.com/containerd/nerdctl/blob/main/docs/command-reference.md", Export: "nerdctl logs", Keeps: Octets,
			Write: lined("logs.txt", func(r record) string { return r.nano() + " " + r.line })},
		{Name: "kubectl/logs", Document: runtimeKubectl, Export: "kubectl logs", Keeps: Octets, Write: lined("pod.log",
			func(r record) string { return r.line })},
		{Name: "kubectl/timestamps", Document: runtimeKubectl, Export: "kubectl logs", Keeps: Octets,
			Write: lined("pod.log",
				func(r record) string { return r.nano() + " " + r.line })},
		{Name: "kubectl/prefix", Document: runtimeKubectl, Export: "kubectl logs", Keeps: Octets, Write: lined("pod.log",
			func(r record) string { return "[pod/edge-0/edge] " + r.nano() + " " + r.line })},
		{Name: "stern/default", Document: runtimeStern, Export: "stern --output raw", Keeps: Octets,
			Write: lined("stern.txt",
				func(r record) string {
					return "\x1b[36medge-0\x1b[0m \x1b[32medge\x1b[0m " + r.line
				})},
		{Name: "stern/json", Document: runtimeStern, Export: "stern --output raw", Keeps: Octets, Write: lined("stern.json",
			func(r record) string {
				return goSpelling.object("message", goSpelling.quote(r.line), "nodeName", `"berlin"`, "namespace", `"edge"`,
					"podName", `"edge-0"`, "containerName", `"edge"`)
			})},
		{Name: "stern/extjson", Document: runtimeStern, Export: "stern --output raw", Keeps: Octets,
			Write: lined("stern.json",
				func(r record) string {
					return `{"pod": "edge-0", "container": "edge", "message": ` + r.line + `}`
				})},
		{Name: "k9s/screen", Document: "k9s, screen dumps, https://k9scli.io/topics/config/", Export: "kubectl logs",
			Keeps: Octets, Write: lined("edge-0.log", func(r record) string {
				return "edge-0 edge " + r.at.Format("2006-01-02T15:04:05.000000000Z") + " " + r.line
			})},
	}
}

func nomadShapes() []Shape {
	return []Shape{
		{Name: "nomad/logs", Document: "Nomad HTTP API, stream logs, " +
			"https://developer.hashicorp.com/nomad/api-docs/client#stream-logs", Export: "nomad alloc logs", Keeps: Octets,
			Write: lined("stream.json", func(r record) string {
				return goSpelling.object("File", `"alloc/logs/edge.stdout.0"`, "Offset", "0", "Data",
					`"`+base64Text(r.line+"\n")+`"`)
			})},
		{Name: "supervisord/stdout", Document: "Supervisor, logging, https://supervisord.org/logging.html",
			Export: "the child's log", Keeps: Octets,
			Write: lined("supervisord.log", func(r record) string {
				return r.at.Format("2006-01-02 15:04:05,000") + " DEBG 'edge' stdout output:\n" + r.line + "\n"
			})},
		{Name: "pm2/logs", Document: "PM2, log management, https://pm2.keymetrics.io/docs/usage/log-management/",
			Export: "the file of pm2 logs --raw", Keeps: Octets,
			Write: lined("edge-out.log", func(r record) string {
				return "0|edge     | " +
					r.at.Format("2006-01-02T15:04:05: ") + r.line
			})},
		{Name: "pm2/json", Document: "PM2, log management, https://pm2.keymetrics.io/docs/usage/log-management/",
			Export: "--log-type json", Keeps: Octets,
			Write: lined("edge-out.log", func(r record) string {
				return compact.object("message", compact.quote(r.line+"\n"), "timestamp", compact.quote(r.iso()), "type",
					`"out"`, "process_id", "0", "app_name", `"edge"`)
			})},
		{Name: "foreman/prefix", Document: "Foreman, https://ddollar.github.io/foreman/",
			Export: "the process's own output", Keeps: Octets,
			Write: lined("foreman.log", func(r record) string { return r.at.Format("15:04:05") + " edge.1  | " + r.line })},
		{Name: "cloudfoundry/logs", Document: "cf CLI, cf logs, " +
			"https://docs.cloudfoundry.org/devguide/deploy-apps/streaming-logs.html", Export: "cf logs --recent", Keeps: Octets,
			Write: lined("cf.txt", func(r record) string {
				return "   " + r.at.Format("2006-01-02T15:04:05.00-0700") + " [APP/PROC/WEB/0] OUT " + r.line
			})},
	}
}

func githubActionsShapes() []Shape {
	return []Shape{
		{Name: "github-actions/log", Document: "GitHub, workflow run logs, " +
			"https://docs.github.com/actions/monitoring-and-troubleshooting-workflows", Export: "the log archive", Keeps: Octets,
			Write: lined("1_build.txt", func(r record) string {
				return "build\tRun edge\t" + r.at.Format("2006-01-02T15:04:05.0000000Z ") + r.line
			})},
	}
}

// partSize is how much of a line Docker and containerd put into one record.
const partSize = 16 * 1024

func dockerLine(r record, more bool, attributes string) string {
	return `{"log":` + dockerSpelling.quote(r.line+ended(more)) + `,"stream":"stdout"` + attributes + `,"time":"` +
		r.nano() + `"}`
}

// dockerSpelling is that of Docker's own encoder.
var dockerSpelling = goSpelling

// ended is the line feed of a part that is the last of its line.
func ended(more bool) string {
	if more {
		return ""
	}
	return "\n"
}

func criTag(more bool) string {
	if more {
		return "P"
	}
	return "F"
}

// dockerLocal is a LogEntry between its sizes.
func dockerLocal(r record, more bool) string {
	b := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), "stdout")
	b = protowire.AppendVarint(protowire.AppendTag(b, 2, protowire.VarintType), uint64(r.at.UnixNano()))
	b = protowire.AppendString(protowire.AppendTag(b, 3, protowire.BytesType), r.line)
	if more {
		b = protowire.AppendVarint(protowire.AppendTag(b, 4, protowire.VarintType), 1)
	}
	size := binary.BigEndian.AppendUint32(nil, uint32(len(b)))
	return string(size) + string(b) + string(size)
}
