package harness

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/svc-edge/svc-verify/harness/pki"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// tenantFile is the file of the tenant log.
const tenantFile = "tenant.ndjson"

// WriteScene plays a scene into files below a directory, which it makes if
// needed. The tenant log goes to disk while the scene is played.
func WriteScene(name string, seed uint64, options Options, dir string) (_ *Scene, err error) {
	if _, ok := findStory(name); !ok {
		return nil, fmt.Errorf("no scene %q", name)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	log, err := os.Create(filepath.Join(dir, tenantFile))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	options.TenantLog = log
	scene, err := Build(name, seed, options)
	if err != nil {
		return nil, err
	}
	return scene, scene.Write(dir)
}

// Write puts the scene into files below a directory:
//
//	svc-evidence-<transaction id>.json   the newest bundle of each transaction
//	trust.json                           the trust file
//	tenant.ndjson                        the tenant log, unless it was streamed
//	journals/<node id>.ndjson            the nodes' journals
//	certificates/<transaction id>.pem    leaf and issuer of each bundle
//
// Files of the same names are overwritten, others are left alone.
func (s *Scene) Write(dir string) error {
	for name, content := range s.Files() {
		if err := writeFile(filepath.Join(dir, filepath.FromSlash(name)), content); err != nil {
			return err
		}
	}
	return nil
}

// Files returns what [Scene.Write] writes, by path, with slashes.
func (s *Scene) Files() map[string][]byte {
	files := map[string][]byte{"trust.json": indentedJSON(s.Trust)}
	if len(s.Tenant) > 0 {
		files[tenantFile] = seal.Lines(s.Tenant)
	}
	for id, events := range s.Journals {
		files["journals/"+id+".ndjson"] = seal.Lines(events)
	}
	for _, export := range s.Exports {
		files["svc-evidence-"+export.TransactionID+".json"] = seal.Line(export.Bundle)
		files["certificates/"+export.TransactionID+".pem"] = pemChain(export.Bundle)
	}
	return files
}

func writeFile(path string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, content, 0o644)
}

// indentedJSON is a document for people to read.
func indentedJSON(document seal.Object) []byte {
	var b bytes.Buffer
	json.Indent(&b, seal.Canonical(document), "", "  ") // canonical JSON is valid
	b.WriteByte('\n')
	return b.Bytes()
}

// pemChain is the bundle's leaf and issuer in PEM.
func pemChain(bundle seal.Object) []byte {
	var chain [][]byte
	for _, text := range seal.Texts(bundle, "certificates") {
		chain = append(chain, seal.Must(seal.Unbase64(text)))
	}
	return pki.ChainPEM(chain)
}
