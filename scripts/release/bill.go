package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"strconv"
	"strings"
	"time"
)

// object is an object of JSON. It is written with its members in ascending order.
type object = map[string]any

// jsonText returns a value as JSON, for people too.
func jsonText(v any) []byte {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		panic(err) // cannot be: these are objects, lists, texts and numbers
	}
	return append(text, '\n')
}

// billOf returns the list of the contents of a program, as the program states them, in the form of
// CycloneDX 1.6. It has no serial number, which would have to be drawn, and no graph: a program
// states its modules, and not which of them needs which.
func (b *build) billOf(info *debug.BuildInfo, binary []byte) []byte {
	seconds := strconv.FormatInt(b.when.Unix(), 10)
	properties := []object{itemOf("commit", b.commit), itemOf("source-date-epoch", seconds)}
	for _, s := range info.Settings {
		properties = append(properties, itemOf("build:"+s.Key, s.Value))
	}
	whole := componentOf("application", info.Main.Path, "v"+b.version)
	whole["name"], whole["version"], whole["properties"] = program, b.version, properties
	whole["hashes"] = []object{{"alg": "SHA-256", "content": fmt.Sprintf("%x", sha256.Sum256(binary))}}
	whole["licenses"] = []object{{"license": object{"id": license}}}
	var parts []object
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		part := componentOf("library", m.Path, m.Version)
		if m.Sum != "" {
			// The sum is over a list of digests, so that no file has it as its digest. Among hashes it
			// would be taken for one.
			part["properties"] = []object{itemOf("go.sum", m.Sum)}
		}
		parts = append(parts, part)
	}
	parts = append(parts, componentOf("library", "stdlib", strings.TrimPrefix(info.GoVersion, "go")))
	return jsonText(object{"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1, "components": parts,
		"metadata": object{"timestamp": b.when.Format(time.RFC3339), "component": whole}})
}

func itemOf(name, value string) object { return object{"name": program + ":" + name, "value": value} }

// componentOf returns a module as a component.
func componentOf(kind, path, version string) object {
	url := "pkg:golang/" + strings.ToLower(path) + "@" + strings.ReplaceAll(version, "+", "%2B")
	return object{"type": kind, "bom-ref": url, "name": path, "version": version, "purl": url}
}
