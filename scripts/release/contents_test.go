package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// checkBill compares a list with the build information of a program.
func checkBill(t *testing.T, list []byte, info *debug.BuildInfo, binary []byte) {
	t.Helper()
	type component struct {
		Name, Version, PURL string
		Ref                 string `json:"bom-ref"`
		Hashes              []struct{ Alg, Content string }
		Properties          []struct{ Name, Value string }
	}
	var got struct {
		BomFormat, SpecVersion string
		Metadata               struct{ Component component }
		Components             []component
	}
	must.Do(t, json.Unmarshal(list, &got))
	check.Equal(t, got.BomFormat+got.SpecVersion, "CycloneDX1.6", "the form")
	whole := got.Metadata.Component
	check.That(t, whole.Name == "svc-verify" && len(whole.Hashes) == 1 && whole.Hashes[0].Alg == "SHA-256" &&
		whole.Hashes[0].Content == fmt.Sprintf("%x", sha256.Sum256(binary)), "the program: %+v", whole)
	var found, want []string
	refs := map[string]bool{whole.Ref: true}
	for _, c := range got.Components {
		text := c.Name + " " + c.Version
		for _, p := range c.Properties {
			text += " " + p.Name + "=" + p.Value
		}
		found = append(found, text)
		check.That(t, !refs[c.Ref] && strings.HasPrefix(c.PURL, "pkg:golang/"), "%q is there twice, or %q", c.Ref, c.PURL)
		refs[c.Ref] = true
	}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		text := m.Path + " " + m.Version
		if m.Sum != "" {
			text += " svc-verify:go.sum=" + m.Sum
		}
		want = append(want, text)
	}
	want = append(want, "stdlib "+strings.TrimPrefix(info.GoVersion, "go"))
	check.Equal(t, strings.Join(found, "\n"), strings.Join(want, "\n"), "the modules")
}

// readTar returns the members of a tar archive.
func readTar(archive []byte) (map[string][]byte, error) {
	all := map[string][]byte{}
	for r := tar.NewReader(bytes.NewReader(archive)); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		if all[h.Name], err = io.ReadAll(r); err != nil {
			return nil, err
		}
	}
}

// ref is a descriptor.
type ref struct {
	MediaType, Digest string
	Size              int
	Platform          struct{ OS, Architecture string }
}

// layout is an image that is read by its specification.
type layout struct {
	files map[string][]byte
	used  map[string]bool
}

// openBlob returns the blob that a descriptor refers to, if it is that blob.
func (l *layout) openBlob(r ref, mediaType string, v any) ([]byte, error) {
	name := "blobs/" + strings.Replace(r.Digest, ":", "/", 1)
	data, ok := l.files[name]
	switch l.used[name] = true; {
	case !ok:
		return nil, fmt.Errorf("there is no %s", name)
	case fmt.Sprintf("sha256:%x", sha256.Sum256(data)) != r.Digest || len(data) != r.Size:
		return nil, fmt.Errorf("%s has another digest or size", name)
	case r.MediaType != mediaType:
		return nil, fmt.Errorf("%s is of the type %s", name, r.MediaType)
	case v == nil:
		return data, nil
	}
	return data, json.Unmarshal(data, v)
}

// readImage reads an image, and returns the programs in it by their platforms. Everything in it is
// referred to, with its digest and its size.
func readImage(archive []byte) (programs map[string][]byte, err error) {
	files, err := readTar(archive)
	if err != nil {
		return nil, err
	}
	l := &layout{files, map[string]bool{"oci-layout": true, "index.json": true, "manifest.json": true}}
	var top, all struct{ Manifests []ref }
	if err := json.Unmarshal(files["index.json"], &top); err != nil || len(top.Manifests) != 1 {
		return nil, fmt.Errorf("index.json: %w, %d images", err, len(top.Manifests))
	}
	if _, err := l.openBlob(top.Manifests[0], indexType, &all); err != nil {
		return nil, err
	}
	var older []struct{ Config, Layers any }
	if err := json.Unmarshal(files["manifest.json"], &older); err != nil || len(older) != len(all.Manifests) {
		return nil, fmt.Errorf("manifest.json: %w, %d images", err, len(older))
	}
	programs = map[string][]byte{}
	for i, r := range all.Manifests {
		var m struct {
			Config ref
			Layers []ref
		}
		if _, err := l.openBlob(r, manifestType, &m); err != nil {
			return nil, err
		}
		old := fmt.Sprint(older[i])
		for _, d := range append(m.Layers, m.Config) {
			if _, hex, _ := strings.Cut(d.Digest, ":"); !strings.Contains(old, hex) {
				return nil, fmt.Errorf("manifest.json has another image: %s", old)
			}
		}
		name := r.Platform.OS + "/" + r.Platform.Architecture
		if programs[name], err = l.readPlatform(name, m.Config, m.Layers); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	for name := range files {
		if !l.used[name] {
			return nil, fmt.Errorf("nothing refers to %s", name)
		}
	}
	return programs, nil
}

// readPlatform reads the image for a platform, and returns its program.
func (l *layout) readPlatform(platform string, config ref, layers []ref) ([]byte, error) {
	var c struct {
		OS, Architecture string
		Config           struct {
			User       string
			Entrypoint []string
		}
		RootFS struct {
			DiffIDs []string `json:"diff_ids"`
		}
	}
	if _, err := l.openBlob(config, configType, &c); err != nil {
		return nil, err
	}
	if len(layers) != 1 || c.OS+"/"+c.Architecture != platform || c.Config.User != "65532:65532" ||
		!slices.Equal(c.Config.Entrypoint, []string{"/svc-verify"}) {
		return nil, fmt.Errorf("the image is run otherwise: %+v", c)
	}
	packed, err := l.openBlob(layers[0], layerType, nil)
	if err != nil {
		return nil, err
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	layer, err := io.ReadAll(z)
	if id := fmt.Sprintf("sha256:%x", sha256.Sum256(layer)); err != nil || !slices.Equal(c.RootFS.DiffIDs, []string{id}) {
		return nil, fmt.Errorf("the layer has the digest %s, the image has %v: %w", id, c.RootFS.DiffIDs, err)
	}
	members, err := readTar(layer)
	if names := slices.Sorted(maps.Keys(members)); err != nil || !slices.Equal(names, []string{"svc-verify", "tmp/"}) {
		return nil, fmt.Errorf("the layer has %q: %w", names, err)
	}
	return members["svc-verify"], nil
}

// TestImage: every digest and size of an image is right, and every change of it is seen.
func TestImage(t *testing.T) {
	makeImage := func() []byte {
		b, i := aBuild(), image{blobs: map[string][]byte{}}
		must.Do(t, i.addPlatform(platform{"linux", "amd64"}, b, []byte("one")))
		must.Do(t, i.addPlatform(platform{"linux", "arm64"}, b, []byte("two")))
		return must.Get(i.layoutTar(b))(t)
	}
	archive := makeImage()
	check.That(t, bytes.Equal(archive, makeImage()), "two images of the same programs differ")
	programs := must.Get(readImage(archive))(t)
	check.Equal(t, fmt.Sprintf("%s", programs), "map[linux/amd64:one linux/arm64:two]", "the programs")
	files := must.Get(readTar(archive))(t)
	for name, data := range files {
		if name == "oci-layout" {
			continue
		}
		data[len(data)/2] ^= 1
		var changed []file
		for _, other := range slices.Sorted(maps.Keys(files)) {
			changed = append(changed, file{other, 0o644, files[other]})
		}
		_, err := readImage(must.Get(tarOf(changed, aTime))(t))
		data[len(data)/2] ^= 1
		check.That(t, err != nil, "a change of %s is not seen", name)
	}
}
