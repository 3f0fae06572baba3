package sealkey

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/svc-edge/svc-verify/archive/codec"
	"github.com/svc-edge/svc-verify/internal/access"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// FileProtocol is the protocol of a key file (SPEC 16.1).
const FileProtocol = "svc.seal-key.v1"

// maxKeyFile bounds a key file in bytes.
const maxKeyFile = 4 << 10

// keyFile is the document of a key file.
type keyFile struct {
	name           string
	ed25519, mldsa []byte // the seeds
}

// describeMembers describes the document.
func (k *keyFile) describeMembers(m *codec.Members) {
	m.Bytes("ed25519_seed", &k.ed25519, SeedSize)
	m.Bytes("ml_dsa_65_seed", &k.mldsa, SeedSize)
	m.Text("name", &k.name, "an identifier", form.Identifier[string])
	m.Protocol(FileProtocol)
}

// Create writes the key to a new file that only its owner may use. An old file is
// never replaced: it may be the only copy of a key.
func (k *Key) Create(path string) (err error) {
	m := codec.WriteMembers(nil)
	(&keyFile{k.name, k.ed25519.Seed(), k.mldsa.Bytes()}).describeMembers(&m)
	var doc bytes.Buffer
	_ = json.Indent(&doc, m.End(), "", "  ") // for people; it is JSON
	doc.WriteByte('\n')
	f, err := access.Create(path)
	if err != nil {
		return fmt.Errorf("making the key file %s: %w", safetext.Quote(path), access.WithoutPath(err))
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("writing the key file %s: %w", safetext.Quote(path), access.WithoutPath(err))
			err = errors.Join(err, os.Remove(path))
		}
	}()
	_, err = doc.WriteTo(f)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return access.SyncFolder(filepath.Dir(path))
}

// Load reads a key file. It refuses a file that others may use.
func Load(path string) (*Key, error) {
	k, err := load(path)
	if err != nil {
		return nil, fmt.Errorf("the key file %s: %w", safetext.Quote(path), access.WithoutPath(err))
	}
	return k, nil
}

func load(path string) (*Key, error) {
	f, err := access.OpenRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := access.Check(f, access.Nothing); err != nil {
		return nil, fmt.Errorf("expected a key that its owner alone may use, found %w", err)
	}
	doc, err := io.ReadAll(io.LimitReader(f, maxKeyFile+1))
	if err != nil {
		return nil, err
	}
	return parseKey(doc)
}

// parseKey reads the document of a key file. Its errors say nothing of the seeds.
func parseKey(doc []byte) (*Key, error) {
	if len(doc) > maxKeyFile {
		return nil, fmt.Errorf("expected at most %d octets", maxKeyFile)
	}
	v, fault := ijson.Parse(doc)
	if fault != nil {
		return nil, errors.New("this is no key file: it is no JSON document (" + fault.Code + ")")
	}
	var r form.Reader
	var k keyFile
	codec.ReadMembers(&r, v, k.describeMembers)
	if faults := r.Faults(); len(faults) > 0 {
		return nil, fmt.Errorf("this is no key file: %s at %s", faults[0].Code, safetext.Quote(faults[0].Path))
	}
	return FromSeeds(k.name, [SeedSize]byte(k.ed25519), [SeedSize]byte(k.mldsa))
}
