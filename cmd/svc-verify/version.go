package main

import (
	"fmt"
	"runtime/debug"

	"github.com/svc-edge/svc-verify/fixtures/kit"
)

// versionAnswer names all that the program was built from.
type versionAnswer struct {
	Schema  string         `json:"schema"`
	Version string         `json:"version"`
	Go      string         `json:"go"`
	Modules []moduleAnswer `json:"modules"` // the first is the program's own
	Build   []buildSetting `json:"build"`
	Corpus  string         `json:"corpus_sha256"`
}

// moduleAnswer is a module with packages in the program.
type moduleAnswer struct {
	Path    string `json:"path"`
	Version string `json:"version"`
	Sum     string `json:"sum"` // as in go.sum; "" if it was built from a checkout
}

type buildSetting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// showVersion answers with the version and, as JSON, with all that the program was built from. The
// digest of the embedded cases is the work of a second, which no other command waits for.
func showVersion(c *invocation) *reply {
	if !c.asJSON() {
		return &reply{text: fmt.Sprintf("svc-verify %s\n", version)}
	}
	info, ok := debug.ReadBuildInfo()
	stopIf(!ok, "the program does not name its source: it was built without modules")
	corpus := mustHave(kit.ReadCorpus(mustHave(kit.EmbeddedArchive())))
	return &reply{json: versionOf(info, corpus.SHA256)}
}

// versionOf returns the answer for the information of a build. A module that was replaced is named
// as the one in its place.
func versionOf(info *debug.BuildInfo, corpus string) versionAnswer {
	v := versionAnswer{Schema: "svc-verify/version/v1", Version: version, Go: info.GoVersion, Corpus: corpus}
	for _, m := range append([]*debug.Module{&info.Main}, info.Deps...) {
		if m.Replace != nil {
			m = m.Replace
		}
		v.Modules = append(v.Modules, moduleAnswer{m.Path, m.Version, m.Sum})
	}
	for _, s := range info.Settings {
		v.Build = append(v.Build, buildSetting{s.Key, s.Value})
	}
	return v
}
