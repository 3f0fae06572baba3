package main

import (
	"bytes"
	"cmp"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// platform is an operating system and a processor, as Go names them.
type platform struct{ os, arch string }

// readPlatforms reads a list such as "linux/amd64 windows/arm64". Their order does not matter.
func readPlatforms(text string) (all []platform, err error) {
	for word := range strings.FieldsSeq(text) {
		system, arch, ok := strings.Cut(word, "/")
		if p := (platform{system, arch}); ok && !slices.Contains(all, p) {
			all = append(all, p)
			continue
		}
		return nil, fmt.Errorf("platform %q: expected one such as linux/amd64, once", word)
	}
	if len(all) == 0 {
		return nil, errors.New("no platform is given")
	}
	slices.SortFunc(all, func(a, b platform) int { return cmp.Compare(a.os+a.arch, b.os+b.arch) })
	return all, nil
}

// build makes the files of a release.
type build struct {
	*options
	source
	work  string // a folder for programs
	env   []string
	notes []file // in every archive, with the program
}

// releaseFiles returns the files of the release, but for the digests.
func (b *build) releaseFiles() (files []file, err error) {
	platforms, err := readPlatforms(b.platforms)
	if err != nil {
		return nil, err
	}
	if b.env, err = buildEnvironment(); err != nil {
		return nil, err
	}
	if err := b.readNotes(); err != nil {
		return nil, err
	}
	image := image{blobs: map[string][]byte{}}
	for _, p := range platforms {
		path, err := b.compileFor(p)
		if err != nil {
			return nil, err
		}
		binary, err := os.ReadFile(path) // #nosec G304 -- just built
		if err != nil {
			return nil, err
		}
		made, err := b.platformFiles(p, binary)
		if err != nil {
			return nil, err
		}
		files = append(files, made...)
		if p.os == "linux" {
			if err := image.addPlatform(p, b, binary); err != nil {
				return nil, err
			}
		}
	}
	if image.platforms == nil {
		return files, nil
	}
	tar, err := image.layoutTar(b)
	return append(files, file{name: b.fileName("oci.tar"), data: tar}), err
}

// fileName returns the name of a file of the release.
func (b *build) fileName(rest string) string { return program + "_" + b.version + "_" + rest }

// platformFiles returns the archive for a platform, and the list of the contents of its program.
func (b *build) platformFiles(p platform, binary []byte) ([]file, error) {
	folder := b.fileName(p.os + "_" + p.arch)
	members := []file{{name: folder + "/" + program + p.programSuffix(), mode: 0o755, data: binary}}
	for _, f := range b.notes {
		members = append(members, file{name: folder + "/" + f.name, mode: 0o644, data: f.data})
	}
	pack, ending := tarGz, ".tar.gz"
	if p.os == "windows" {
		pack, ending = zipOf, ".zip"
	}
	archive, err := pack(members, b.when)
	if err != nil {
		return nil, err
	}
	info, err := buildinfo.Read(bytes.NewReader(binary))
	if err != nil {
		return nil, err
	}
	return []file{{name: folder + ending, data: archive}, {name: folder + ".cdx.json", data: b.billOf(info, binary)}}, nil
}

// programSuffix is the end of the names of programs.
func (p platform) programSuffix() string {
	if p.os == "windows" {
		return ".exe"
	}
	return ""
}

// compileFor builds the program for a platform, and returns its path.
func (b *build) compileFor(p platform) (path string, err error) {
	path = filepath.Join(b.work, p.os+"-"+p.arch, program+p.programSuffix())
	if _, err := os.Stat(path); err == nil {
		return path, nil // it was built for its pages
	}
	flags, err := stampedFlags(b.flags, b.version)
	if err != nil {
		return "", err
	}
	args := slices.Concat([]string{"build", "-o", path}, flags, []string{"./cmd/" + program})
	c := exec.Command("go", args...) // #nosec G204 -- the flags of the Makefile
	c.Env = append(slices.Clone(b.env), "GOOS="+p.os, "GOARCH="+p.arch)
	_, err = outputOf(c)
	return path, err
}

// stampedFlags returns flags of go build that put in the version, and nothing about the checkout.
func stampedFlags(flags []string, version string) ([]string, error) {
	flags = slices.Clone(flags)
	i := slices.Index(flags, "-ldflags")
	if i < 0 || i+1 == len(flags) || !slices.Contains(flags, "-trimpath") {
		return nil, fmt.Errorf("the flags %q of go build: expected -trimpath and -ldflags", flags)
	}
	flags[i+1] += " -X main.version=" + version
	return append(flags, "-buildvcs=false"), nil
}

// fetching are the variables of go that say where modules come from and are kept, and which toolchain
// is meant. The bytes of a program do not depend on them.
var fetching = []string{"GOPROXY", "GONOPROXY", "GOSUMDB", "GONOSUMDB", "GOPRIVATE", "GOINSECURE", "GOAUTH", "GOVCS",
	"GOMODCACHE", "GOCACHE", "GOTMPDIR", "GOTOOLCHAIN"}

// buildEnvironment returns the environment to build in: of the user's settings of go, only those for
// fetching are left.
func buildEnvironment() (env []string, err error) {
	text, err := runProgram("go", append([]string{"env", "-json"}, fetching...)...)
	if err != nil {
		return nil, err
	}
	values := map[string]string{}
	if err := json.Unmarshal([]byte(text), &values); err != nil {
		return nil, err
	}
	for _, entry := range os.Environ() {
		if !strings.HasPrefix(entry, "GO") && !strings.HasPrefix(entry, "CGO_") {
			env = append(env, entry)
		}
	}
	for _, name := range fetching {
		env = append(env, name+"="+values[name])
	}
	return append(env, "GOENV=off", "GOWORK=off", "CGO_ENABLED=0", "GOAMD64=v1", "GOARM64=v8.0"), nil
}

// pages are texts that the program writes about itself, by their names in an archive.
var pages = []struct{ name, args string }{
	{"man/" + program + ".1", "man"},
	{"completions/" + program + ".bash", "completion bash"},
	{"completions/_" + program, "completion zsh"},
	{"completions/" + program + ".fish", "completion fish"},
}

// readNotes reads the documents for every archive, and asks the program for its pages.
func (b *build) readNotes() error {
	for _, name := range []string{"README.md", "LICENSE", "SECURITY.md"} {
		text, err := os.ReadFile(name) // #nosec G304 -- of the checkout
		if err != nil {
			return err
		}
		b.notes = append(b.notes, file{name: name, data: text})
	}
	path, err := b.compileFor(platform{runtime.GOOS, runtime.GOARCH})
	if err != nil {
		return err
	}
	for _, page := range pages {
		text, err := exec.Command(path, strings.Fields(page.args)...).Output() // #nosec G204 -- just built
		if err != nil {
			return fmt.Errorf("%s %s: %w", program, page.args, err)
		}
		b.notes = append(b.notes, file{name: page.name, data: text})
	}
	return nil
}
