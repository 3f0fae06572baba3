//go:build heavy

package main

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/must"
)

// genuine is an event, a bundle and a trust file that hostile inputs are made of.
type genuine struct {
	event, bundle []byte
	trust         string // path of the file
}

func genuineOf(t *testing.T) genuine {
	dir := sceneIn(t, "issued")
	read := func(pattern string) []byte {
		names := must.Get(filepath.Glob(filepath.Join(dir, pattern)))(t)
		return must.Get(os.ReadFile(names[0]))(t)
	}
	event, _, _ := bytes.Cut(read("journals/*.ndjson"), []byte("\n"))
	return genuine{event, read("svc-evidence-*.json"), filepath.Join(dir, "trust.json")}
}

// files are the bytes of an input, by name.
type files map[string][]byte

func one[C ~string | ~[]byte](content C) files { return files{"x": []byte(content)} }

// maker makes n times as much of an input.
type maker func(g genuine, n int) files

// repeated is a text so many times.
func repeated(text string, times int) maker { return within("", text, times, "") }

// within is that text between two others.
func within(before, text string, times int, after string) maker {
	return func(_ genuine, n int) files { return one(before + strings.Repeat(text, n*times) + after) }
}

// packed is a text so many times, as a writer packs it.
func packed(pack func(string) []byte, text string, times int) maker {
	return func(_ genuine, n int) files { return one(pack(strings.Repeat(text, n*times))) }
}

// edited are so many events that a function makes of the genuine one.
func edited(times int, edit func(event, body map[string]any, i int)) maker {
	return func(g genuine, n int) files { return one(events(g, n*times, edit)) }
}

// many is so many files or members.
func many(n int, content func(i int) string) files {
	all := files{}
	for i := range n {
		all[fmt.Sprintf("f%06d", i)] = []byte(content(i))
	}
	return all
}

// costInput is a kind of input.
type costInput struct {
	name string
	make maker
}

// plainInputs are not compressed.
var plainInputs = []costInput{
	{"small objects", repeated("{}\n", 8_000)},
	{"empty lines", repeated("\n", 300_000)},
	{"short lines", repeated("a\n", 100_000)},
	{"a long line", repeated("a", 1_000_000)},
	{"objects on one line", repeated("{}", 30_000)},
	{"open objects", repeated(`{"a":`, 100_000)},
	{"open arrays on lines", repeated("[\n", 300_000)},
	{"closed arrays", func(_ genuine, n int) files {
		return one(strings.Repeat("[", n*100_000) + strings.Repeat("]", n*100_000))
	}},
	{"cut objects", repeated("{\"a\":\"b\n", 8_000)},
	{"members of an object", within(`{"a":1`, `,"b":2`, 30_000, `}`)},
	{"a large number", within(`{"a":`, "1", 1_000_000, `}`)},
	{"a large string", within(`{"a":"`, `\u0041`, 100_000, `"}`)},
	{"escaped quotes", repeated(`\"`, 300_000)},
	{"base64 in base64", func(_ genuine, n int) files {
		text := strings.Repeat("x", n*40_000)
		for range 6 {
			text = `{"a":"` + base64.StdEncoding.EncodeToString([]byte(text)) + `"}`
		}
		return one(text)
	}},
	{"CSV with many columns", func(_ genuine, n int) files {
		return one(strings.Repeat("a,", n*50_000) + "b\n" + strings.Repeat("1,", n*50_000) + "2\n")
	}},
	{"CSV with an open quote", within("a,b\n\"", "x\n", 100_000, "")},
	{"cut container lines", repeated(`{"log":"{","stream":"stdout","time":"2026-01-01T00:00:00Z"}`+"\n", 3000)},
	{"lines of many requests", repeated("POST /v1/logs HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}", 2000)},
	{"blocks of an Avro file", func(_ genuine, n int) files {
		mark := strings.Repeat("S", 16)
		block := "\x80\x80\x80\x80\x08\x00" + mark // 2^30 items of no byte
		return one("Obj\x01\x02\x16avro.schema\x0c\"null\"\x00" + mark + strings.Repeat(block, n*4))
	}},
	{"a tar of empty members", func(_ genuine, n int) files { return one(tarOf(many(n*1000, empty))) }},
	{"a zip of empty members", func(_ genuine, n int) files { return one(zipOf(many(n*1000, empty), zip.Store)) }},
	{"empty files", func(_ genuine, n int) files { return many(n*200, empty) }},
	{"small files", func(_ genuine, n int) files {
		return many(n*200, func(i int) string { return fmt.Sprintf(`{"a":%d}`, i) })
	}},
}

// genuineInputs are made of an event or of a bundle.
var genuineInputs = []costInput{
	{"one event on many lines", func(g genuine, n int) files { return repeated(string(g.event)+"\n", 1000)(g, n) }},
	{"one event many times on a line", func(g genuine, n int) files {
		return repeated("x "+string(g.event)+" y", 1000)(g, n)
	}},
	{"one journal in many files", func(g genuine, n int) files {
		return many(n*200, func(int) string { return string(g.event) + "\n" })
	}},
	{"events of many logs", edited(250, func(_, body map[string]any,
		i int) {
		body["log_id"] = fmt.Sprintf("node/m%d", i)
	})},
	{"events of many tenants", edited(250, func(_, body map[string]any,
		i int) {
		body["tenant_id"] = fmt.Sprintf("t%d", i)
	})},
	{"many events at one sequence", edited(500, func(e, _ map[string]any, i int) { e["hash"] = fmt.Sprintf("%064x", i) })},
	{"gaps", edited(500, func(_, body map[string]any, i int) { body["sequence"] = 1 + 1_000_003*i })},
	{"checkpoints under many keys", func(g genuine, n int) files {
		return one(lines(n*800, func(i int) any {
			checkpoint := parsed(g.bundle)["checkpoint"].(map[string]any)
			checkpoint["key_id"] = fmt.Sprintf("k%d", i)
			return checkpoint
		}))
	}},
	{"bundles that differ", func(g genuine, n int) files {
		return one(lines(n*25, func(i int) any {
			bundle := parsed(g.bundle)
			bundle["x"] = i
			return bundle
		}))
	}},
	{"a bundle with many witnesses", func(g genuine, n int) files { return one(longer(g, "witness_receipts", n*1000)) }},
	{"a bundle with many registries", func(g genuine, n int) files { return one(longer(g, "signer_registries", n*1000)) }},
}

// packedInputs are compressed. Their decompressed size grows with their number, too.
var packedInputs = []costInput{
	{"gzip of small objects", gzipObjects},
	{"gzip of empty lines", packed(gzipOf, "\n", 2_000_000)},
	{"gzip of an open object", packed(gzipOf, `{"a":`, 200_000)},
	{"many gzip members", repeated(string(gzipOf("{}\n")), 3000)},
	{"gzip in gzip", gzipNested},
	{"zstd of zeros", packed(zstdOf, "\x00", 6_000_000)},
	{"xz of short lines", packed(xzOf, "a\n", 1_000_000)},
	{"zlib of small objects", packed(zlibOf, "{}\n", 10_000)},
	{"snappy of short lines", packed(snappyOf, "a\n", 1_000_000)},
	{"bzip2 of one object many times", repeated(string(unbase64("QlpoOTFBWSZTWVfI3pYAAADAgAAQAAogACGYGYRhdyRThQkFfI3p"+
		"YA==")), 2000)}, // of {}\n
	{"a zip of small objects", func(_ genuine, n int) files {
		return one(zipOf(files{"x": bytes.Repeat([]byte("{}\n"), n*10_000)}, zip.Deflate))
	}},
	{"a tar in gzip of empty members", func(_ genuine, n int) files {
		return one(gzipOf(string(tarOf(many(n*1000, empty)))))
	}},
	{"base64 of gzip", func(_ genuine, n int) files {
		return one(base64.StdEncoding.EncodeToString(gzipOf(strings.Repeat("{}\n", n*10_000))))
	}},
}

func empty(int) string { return "" }

var gzipObjects = packed(gzipOf, "{}\n", 10_000)

// gzipNested is gzip in gzip.
func gzipNested(g genuine, n int) files {
	b := gzipObjects(g, n)["x"]
	for range 3 {
		b = gzipOf(string(b))
	}
	return one(b)
}

func parsed(b []byte) (v map[string]any) {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	must.Have(0, d.Decode(&v))
	return v
}

// lines is so many documents, one on each line.
func lines(n int, document func(i int) any) []byte {
	var b bytes.Buffer
	out := json.NewEncoder(&b)
	for i := range n {
		must.Have(0, out.Encode(document(i)))
	}
	return b.Bytes()
}

// events is so many events that a function makes of the genuine one.
func events(g genuine, n int, edit func(event, body map[string]any, i int)) []byte {
	return lines(n, func(i int) any {
		e := parsed(g.event)
		edit(e, e["body"].(map[string]any), i)
		return e
	})
}

// longer is the bundle with so many of the elements of a list.
func longer(g genuine, list string, n int) []byte {
	bundle := parsed(g.bundle)
	all := bundle[list].([]any)
	for i := range n {
		all = append(all, all[i%len(all)])
	}
	bundle[list] = all
	return lines(1, func(int) any { return bundle })
}
