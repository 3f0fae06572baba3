package read_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/harness/dumps"
	"github.com/svc-edge/svc-verify/internal/must"
)

// local returns the records of one of some lines in Docker's local driver.
func local(lines [][]byte, i int) string {
	f := dumps.Named("docker-local")
	return string(f.Write(lines[:i+1], dumps.Options{})[len(f.Write(lines[:i], dumps.Options{})):])
}

// cri is a line of a container's log.
func cri(output, tag, text string) string {
	return "2026-03-02T09:00:00.123456789Z " + output + " " + tag + " " + text + "\n"
}

// docker is a record of Docker's json-file.
func docker(output, text string) string {
	b, err := json.Marshal(map[string]string{"log": text, "stream": output, "time": "2026-03-02T09:00:00.123456789Z"})
	if err != nil {
		panic(err)
	}
	return string(b) + "\n"
}

// fluentd is a record of Docker's driver for fluentd.
func fluentd(id string, ordinal int, last bool, text string) string {
	b := must.Have(json.Marshal(map[string]string{"container_id": "c", "source": "stdout", "log": text,
		"partial_message": "true",
		"partial_id":      id, "partial_ordinal": fmt.Sprint(ordinal), "partial_last": fmt.Sprint(last)}))
	return string(b) + "\n"
}

// source is a document of Elasticsearch.
func source(record string) string {
	return `{"_index":"logs","_id":"1","_source":` + strings.TrimSpace(record) + "}\n"
}

// shipped is a record of a shipper that took a line of a container apart.
func shipped(output, tag, text string) string {
	b, err := json.Marshal(map[string]string{"log": text, "stream": output, "_p": tag, "time": "2026-03-02T09:00:00Z"})
	if err != nil {
		panic(err)
	}
	return string(b) + "\n"
}

// entry is an entry of a systemd journal in its export form.
func entry(fields ...string) string {
	return "__CURSOR=s=1\n" + strings.Join(fields, "\n") + "\n\n"
}

func TestJoined(t *testing.T) {
	bodies := dumps.Bodies(3)
	a, b, c := string(bodies[0]), string(bodies[1]), string(bodies[2])
	before, after, _ := strings.Cut(b, "日")
	exact := func(all ...string) (exact []string) {
		for _, body := range all {
			exact = append(exact, "exact:"+body)
		}
		return exact
	}
	type codes = []finding.Code
	const (
		none = finding.SourceNoRecord
		tail = finding.SourcePartialTail
		open = finding.NotRead
		cut  = finding.SourceTruncated
	)
	rows(t, []row{
		{"CRI: whole lines", cri("stdout", "F", a) + cri("stderr", "F", b), exact(a, b), nil},
		{"CRI: outputs in one another", cri("stdout", "P", a[:50]) + cri("stderr", "P", b[:60]) +
			cri("stdout", "F", a[50:]) +
			cri("stderr", "F", b[60:]), exact(a, b), nil},
		{"CRI: an empty last part", cri("stdout", "P", a) + cri("stdout", "F", ""), exact(a), nil},
		{"CRI: more tags", cri("stdout", "P:x", a[:50]) + cri("stdout", "F:y:z", a[50:]), exact(a), nil},
		{"CRI: another zone", strings.ReplaceAll(cri("stdout", "F", a), "Z ", "+01:00 "), exact(a), nil},
		{"CRI: other lines", cri("stdout", "F", "starting") + cri("stdout", "F", `{"level":"info"}`) +
			cri("stdout", "F", a), exact(a),
			codes{none, none}},
		{"CRI: the file ends", cri("stdout", "F", a) + cri("stdout", "P", b[:500]), exact(a), codes{tail}},
		{"CRI: the file ends behind a whole text", cri("stdout", "P", a), exact(a), nil},
		{"CRI: half a last line", cri("stdout", "F", a) + cri("stdout", "F", b)[:300], exact(a), codes{tail}},
		{"CRI: half a prefix", cri("stdout", "F", a) + cri("stdout", "F", b)[:25], exact(a), codes{none}},
		{"CRI: the rest of a line", cri("stdout", "F", a[201:]) + cri("stdout", "F", b), exact(b), codes{cut}},
		{"CRI: the rest of a line in parts", cri("stdout", "P", a[201:300]) + cri("stderr", "F", "x") +
			cri("stdout", "F", a[300:]) +
			cri("stdout", "F", b), exact(b), codes{none, cut}},
		{"CRI: no rest of a line", cri("stdout", "F", b) + cri("stdout", "F", a[201:]), exact(b), codes{open}},
		{"CRI: behind a torn line", a[300:] + "\n" + cri("stdout", "F", b) + cri("stdout", "F", c), exact(b, c),
			codes{open}},
		{"CRI: a foreign line in a line", cri("stdout", "P", a[:50]) + "noise\n" + cri("stdout", "F", a[50:]), nil,
			codes{none, open}},
		{"CRI: damage in a line", cri("stdout", "P", a[:50]) + cri("stdout", "P", a[50:99])[10:] +
			cri("stdout", "F", a[99:]), nil,
			codes{none, open}},
		{"CRI: damage in a line of the other output", cri("stdout", "P", a[:50]) + cri("stderr", "F", `{"a":1 `) +
			cri("stdout", "F", a[50:]), exact(a), codes{finding.SourceUnparseable}},
		{"CRI: half a prefix behind a part", cri("stdout", "P", a[:50]) + cri("stdout", "F", a[50:])[:25], nil,
			codes{none, tail}},
		{"a plain log with one such line", "starting\n" + a + "\n" + cri("stdout", "P", "x") + b + "\n", exact(a, b),
			codes{none, none}},
		{"CRI: an event in text", cri("stdout", "P", "INFO "+a[:50]) + cri("stdout", "F", a[50:]), exact(a), nil},

		{"docker: cut", docker("stdout", a[:50]) + docker("stdout", a[50:99]) + docker("stdout", a[99:]+"\n"), exact(a),
			nil},
		{"docker: outputs in one another", docker("stdout", a[:50]) + docker("stderr", b[:60]) +
			docker("stdout", a[50:]+"\n") +
			docker("stderr", b[60:]+"\n"), exact(a, b), nil},
		{"docker: a terminal", docker("stdout", a+"\r\n"), exact(a), nil},
		{"docker: no line feed at the end", docker("stdout", a), exact(a), nil},
		{"docker: no line feeds at all", docker("stdout", "starting") + docker("stdout", a) + docker("stdout", b),
			exact(a, b),
			codes{none}},
		{"docker: the file ends", docker("stdout", a+"\n") + docker("stdout", b[:500]), exact(a), codes{tail}},
		{"docker: half a record", docker("stdout", a+"\n") + docker("stdout", b+"\n")[:300], exact(a), codes{tail}},
		{"docker: in a list", "[" + strings.TrimSpace(docker("stdout", a[:50])) + "," + docker("stdout", a[50:]+"\n") +
			"]", exact(a), nil},
		{"docker: damage in a line", docker("stdout", a[:50]) + docker("stdout", a[50:99])[5:] +
			docker("stdout", a[99:]+"\n"), nil,
			codes{none, open}},
		{"docker: a record is cut in a line", docker("stdout", a[:50]) + docker("stdout", a[50:99])[:30] + "\n" +
			docker("stdout", a[99:]+"\n"),
			nil, codes{finding.SourceUnparseable, open}},
		{"docker: cut within a character", docker("stdout", before+"\xe6\x97") + docker("stdout", "\xa5"+after+"\n"),
			[]string{"lossy:" + before + "\ufffd\ufffd\ufffd" + after}, nil},

		{"fluentd: cut", fluentd("x", 1, false, a[:50]) + fluentd("x", 2, false, a[50:99]) +
			fluentd("x", 3, true, a[99:]), exact(a), nil},
		{"fluentd: another order", fluentd("x", 3, true, a[99:]) + fluentd("x", 1, false, a[:50]) +
			fluentd("x", 2, false, a[50:99]),
			exact(a), nil},
		{"fluentd: delivered twice", fluentd("x", 1, false, a[:50]) + fluentd("x", 1, false, a[:50]) +
			fluentd("x", 3, true, a[99:]) +
			fluentd("x", 3, true, a[99:]) + fluentd("x", 2, false, a[50:99]), exact(a), nil},
		{"fluentd: one is missing", fluentd("x", 1, false, a[:50]) + fluentd("x", 3, true, a[99:]), nil, codes{open}},
		{"fluentd: the last is missing", fluentd("x", 1, false, a[:50]) + fluentd("x", 2, false, a[50:99]), nil,
			codes{tail}},
		{"fluentd: no number", strings.ReplaceAll(fluentd("x", 1, false, a), `"1"`, `"one"`), []string{"unquoted:" + a},
			codes{finding.SourceUnparseable}},
		{"a store: numbers", source(fluentd("x", 3, true, a[99:])) + source(fluentd("x", 1, false, a[:50])) +
			source(fluentd("x", 2, false, a[50:99])), exact(a), nil},
		{"a store: no numbers, and a hash that is wrong", source(docker("stdout", a[:50])) +
			source(docker("stdout", a[50:]+"\n")), nil,
			codes{open}},
		{"a store: whole lines", source(docker("stdout", a+"\n")) + source(docker("stdout", b)), exact(a, b), nil},
		{"a store: hits", `{"hits":{"hits":[` + strings.TrimSpace(source(fluentd("x", 1, false, a[:50]))) + "," +
			strings.TrimSpace(source(fluentd("x", 2, true, a[50:]))) + "]}}", exact(a), nil},
		{"a bulk request", `{"index":{}}` + "\n" + docker("stdout", a[:50]) + `{"index":{}}` + "\n" +
			docker("stdout", a[50:]+"\n"),
			exact(a), nil},
		{"a shipper's tags", shipped("stdout", "P", a[:50]) + shipped("stderr", "F", b) + shipped("stdout", "F", a[50:]),
			exact(b, a), nil},

		{"local: damage", local(bodies, 0) + "garbage" + local(bodies, 1), exact(a, b), codes{finding.SourceUnparseable}},
		{"local: the file ends", local(bodies, 0) + local(bodies, 1)[:90], exact(a), codes{tail, tail}},
		{"local: a length beyond the end", "\x00\x7f\x00\x00" + local(bodies, 0)[4:] + local(bodies, 1), exact(b),
			codes{finding.SourceUnparseable, open}},
		{"local: a wrong length", local(bodies, 0) + strings.Replace(local(bodies, 1), "stdout", "stdou", 1) +
			local(bodies, 2), exact(a, c), codes{finding.SourceUnparseable, open}},

		{"systemd: two fields of one name", entry("_PID=1", "_PID=2", "MESSAGE="+a), exact(a), nil},
		{"systemd: two messages", entry("MESSAGE="+a, "MESSAGE="+b), exact(a, b), nil},
		{"systemd: no message", entry("_PID=1") + entry("MESSAGE="+a), exact(a), codes{none}},
		{"systemd: the file ends", entry("MESSAGE="+a) + entry("MESSAGE=" + b)[:300], exact(a), codes{tail}},
		{"systemd: the file ends in a length", entry("MESSAGE="+a) + "__CURSOR=2\nMESSAGE\n\x09\x00", exact(a),
			codes{tail}},
		{"systemd: the file ends in octets", entry("MESSAGE="+a) +
			"__CURSOR=2\nMESSAGE\n\x09\x00\x00\x00\x00\x00\x00\x00{", exact(a),
			codes{tail}},
		{"systemd: the file ends behind the message", strings.TrimRight(entry("MESSAGE="+a), "\n") + "\n", exact(a), nil},
		{"systemd: a wrong length", "__CURSOR=2\nMESSAGE\n\x01\x00\x00\x00\x00\x00\x00\x00{}\n\n" + entry("MESSAGE="+a),
			exact(a),
			codes{finding.SourceUnparseable}},
		{"systemd: a length beyond the end", "__CURSOR=2\nMESSAGE\n\x00\x10\x00\x00\x00\x00\x00\x00{}\n\n" +
			entry("MESSAGE="+a), exact(a),
			codes{finding.SourceUnparseable}},
		{"systemd: an absurd length", "__CURSOR=2\nMESSAGE\n\xff\xff\xff\xff\xff\xff\xff\xff{}\n\n" + entry("MESSAGE="+a),
			exact(a),
			codes{finding.SourceLimit}},
		{"systemd: damage", entry("MESSAGE="+a) + entry("no field", "MESSAGE="+b) + entry("MESSAGE="+c), exact(a, c),
			codes{finding.SourceUnparseable}},
		{"systemd: Docker's parts", entry("CONTAINER_PARTIAL_MESSAGE=true", "MESSAGE="+a[:50]) + entry("MESSAGE="+a[50:]),
			exact(a), nil},
		{"systemd: Docker's numbers",
			entry("CONTAINER_PARTIAL_MESSAGE=true", "CONTAINER_PARTIAL_ID=x", "CONTAINER_PARTIAL_ORDINAL=2",
				"CONTAINER_PARTIAL_LAST=true", "MESSAGE="+a[50:]) +
				entry("CONTAINER_PARTIAL_MESSAGE=true", "CONTAINER_PARTIAL_ID=x",
					"CONTAINER_PARTIAL_ORDINAL=1", "CONTAINER_PARTIAL_LAST=false", "MESSAGE="+a[:50]), exact(a), nil},
		{"systemd as JSON: left out", `{"__CURSOR":"1","MESSAGE":null}` + "\n", nil, codes{finding.BodyTruncated}},
		{"systemd as JSON: two messages", `{"__CURSOR":"1","MESSAGE":["x",[123,125],[1,"a"]]}` + "\n", nil,
			codes{none, none, finding.SourceUnparseable}},
		{"systemd as JSON: no text", `{"__CURSOR":"1","MESSAGE":1}` + "\n" + `{"__CURSOR":"1","MESSAGE":[]}` + "\n", nil,
			codes{none, none}},

		{"a sequence: cut", "\x1e" + a[:300] + "\x1e" + b + "\n\x1e" + c + "\n", exact(b, c),
			codes{finding.SourceUnparseable}},
		{"a sequence: the file ends", "\x1e" + a + "\n\x1e" + b[:300], exact(a), codes{tail}},
		{"a sequence: nothing", "\x1e\x1e" + a + "\n\x1e \x1e7\n\x1e", exact(a), codes{none, none, tail}},
		{"events: other fields", "data:" + a + "\nid: 1\n: comment\n\ndata: " + b + "\n\n", exact(a, b),
			codes{none, none}},
	})
}
