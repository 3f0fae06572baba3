package main

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// imageUser is the user and the group that the program runs as in a container.
const imageUser = "65532:65532"

// The media types of OCI's image-spec.
const (
	indexType    = "application/vnd.oci.image.index.v1+json"
	manifestType = "application/vnd.oci.image.manifest.v1+json"
	configType   = "application/vnd.oci.image.config.v1+json"
	layerType    = "application/vnd.oci.image.layer.v1.tar+gzip"
)

// image is an image for containers in the layout of OCI: one index with an image for each platform.
type image struct {
	blobs     map[string][]byte // by their names in the archive
	platforms []object          // descriptors
	older     []object          // of manifest.json
}

// addPlatform adds the image for a platform: the program alone, with an empty folder for temporary files.
func (i *image) addPlatform(p platform, b *build, binary []byte) error {
	layer, err := tarOf([]file{{name: "tmp/", mode: 0o1777}, {name: program, mode: 0o755, data: binary}}, b.when)
	if err != nil {
		return err
	}
	packed, err := gzipOf(layer)
	if err != nil {
		return err
	}
	config := jsonText(object{"os": p.os, "architecture": p.arch, "created": b.when.Format(time.RFC3339),
		"config": object{"User": imageUser, "Entrypoint": []string{"/" + program}, "WorkingDir": "/", "Labels": b.labels()},
		"rootfs": object{"type": "layers", "diff_ids": []string{digestOf(layer)}}})
	manifest := jsonText(object{"schemaVersion": 2, "mediaType": manifestType, "annotations": b.labels(),
		"config": i.addBlob(configType, config), "layers": []object{i.addBlob(layerType, packed)}})
	ref := i.addBlob(manifestType, manifest)
	ref["platform"] = object{"os": p.os, "architecture": p.arch}
	i.platforms = append(i.platforms, ref)
	i.older = append(i.older, object{"Config": blobName(config), "Layers": []string{blobName(packed)},
		"RepoTags": []string{b.imageName() + "-" + p.arch}})
	return nil
}

// layoutTar returns the image as an archive. Its index.json refers to one index: of several images,
// programs that copy one would have to know which one is meant. Docker reads manifest.json where it does
// not keep images with containerd.
func (i *image) layoutTar(b *build) ([]byte, error) {
	ref := i.addBlob(indexType, jsonText(object{"schemaVersion": 2, "mediaType": indexType, "manifests": i.platforms}))
	_, tag, _ := strings.Cut(b.imageName(), ":")
	ref["annotations"] = object{"org.opencontainers.image.ref.name": tag, "io.containerd.image.name": b.imageName()}
	i.blobs["oci-layout"] = jsonText(object{"imageLayoutVersion": "1.0.0"})
	i.blobs["index.json"] = jsonText(object{"schemaVersion": 2, "mediaType": indexType, "manifests": []object{ref}})
	i.blobs["manifest.json"] = jsonText(i.older)
	var files []file
	for _, name := range slices.Sorted(maps.Keys(i.blobs)) {
		files = append(files, file{name: name, mode: 0o644, data: i.blobs[name]})
	}
	return tarOf(files, b.when)
}

// addBlob adds a blob, and returns a descriptor of it.
func (i *image) addBlob(mediaType string, data []byte) object {
	i.blobs[blobName(data)] = data
	return object{"mediaType": mediaType, "digest": digestOf(data), "size": len(data)}
}

// blobName is the name of a blob in the archive.
func blobName(data []byte) string { return "blobs/" + strings.Replace(digestOf(data), ":", "/", 1) }

func digestOf(data []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(data)) }

// imageName is the name and the tag of the image. A tag cannot have a plus sign.
func (b *build) imageName() string {
	return "localhost/" + program + ":" + strings.ReplaceAll(b.version, "+", "_")
}

// labels say where an image is from.
func (b *build) labels() object {
	const own = "org.opencontainers.image."
	return object{own + "title": program, own + "version": b.version, own + "revision": b.commit,
		own + "created": b.when.Format(time.RFC3339), own + "licenses": license}
}
