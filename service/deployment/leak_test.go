package deployment_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/secretstore/record"
)

// secret is something that must not be found where it does not belong.
type secret struct {
	name  string
	forms [][]byte // of which none may stand anywhere
}

// tokenSecret is a token as it is, and as text of JSON or a URL would have it: no
// character of it changes there.
func tokenSecret(t *testing.T, file string) secret {
	t.Helper()
	return secret{file, [][]byte{bytes.TrimSpace(must.Get(os.ReadFile(file))(t))}}
}

// keySecret is a private key (PKCS #8): the lines of its PEM form and its DER form
// as far as the secret part reaches, and the secret part alone.
func keySecret(t *testing.T, name string, doc []byte) secret {
	t.Helper()
	block, _ := pem.Decode(doc)
	must.That(t, block != nil, "%s: expected PEM", name)
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	must.OK(t, err, "%s", name)
	var part []byte
	switch k := key.(type) {
	case *ecdsa.PrivateKey:
		if part, err = k.Bytes(); err != nil {
			t.Fatal(err)
		}
	case ed25519.PrivateKey:
		part = k.Seed()
	default:
		t.Fatalf("%s: a key of type %T", name, key)
	}
	start := bytes.Index(block.Bytes, part)
	must.That(t, start >= 0, "%s: its secret part is not found", name)
	end := start + len(part)
	s := secret{name, [][]byte{
		part, block.Bytes[:end], []byte(hex.EncodeToString(part)), []byte(strings.ToUpper(hex.EncodeToString(part))),
	}}
	for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		s.forms = append(s.forms, []byte(encoding.EncodeToString(part)),
			[]byte(encoding.EncodeToString(block.Bytes[:end-end%3])))
	}
	text := base64.StdEncoding.EncodeToString(block.Bytes)
	for line := start / 48; line*48 < end; line++ { // a line of PEM has 64 characters for 48 bytes
		s.forms = append(s.forms, []byte(text[line*64:min(line*64+64, len(text))]))
	}
	return s
}

// secrets are all tokens and private keys of a deployment: those in files, and
// those of every generation in the secret store.
func (w *world) secrets() []secret {
	w.t.Helper()
	var all []secret
	must.Do(w.t, filepath.WalkDir(w.Dir, func(path string, entry fs.DirEntry, err error) error {
		switch filepath.Ext(path) {
		case ".token":
			all = append(all, tokenSecret(w.t, path))
		case ".key":
			doc, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			all = append(all, keySecret(w.t, path, doc))
		}
		return err
	}))
	store := w.storeClient(w.ConsumerToken())
	for slot := int64(1); slot <= w.pointer().Active.Slot; slot++ {
		all = append(all, keySecret(w.t, record.SlotName(slot), []byte(w.generation(store, slot).PrivateKeyPEM)))
	}
	return all
}

// keepers are the files that hold secrets because that is what they are for.
var keepers = []string{
	"*/*.key", "*/*/*.key", "*/*/*/*.key", "*/*.token", // keys and tokens, each with its owner
	"store/secrets.json", // the secret store
	"cloud/state/signer.keys",
	"nodes/*/state/state.db*", // holds a key until its certificate is promoted
}

// search looks for secrets in every file below a directory but in the keepers,
// and for private keys and other PEM blocks in general. It returns what it found
// and how many files it looked at.
func search(t *testing.T, dir string, secrets []secret) (found []string, files int) {
	t.Helper()
	must.Do(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		for _, pattern := range keepers {
			if matched, err := filepath.Match(pattern, name); matched || err != nil {
				return err
			}
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files++
		for _, what := range inside(name, content, secrets) {
			found = append(found, fmt.Sprintf("%s holds %s", name, what))
		}
		return nil
	}))
	return found, files
}

// inside says which secrets a file has. Certificates may stand in files *.pem.
func inside(name string, content []byte, secrets []secret) []string {
	var found []string
	for _, s := range secrets {
		for i, form := range s.forms {
			if bytes.Contains(content, form) {
				found = append(found, fmt.Sprintf("%s, form %d", s.name, i))
			}
		}
	}
	if bytes.Contains(content, []byte("PRIVATE KEY")) {
		found = append(found, "a private key")
	}
	if filepath.Ext(name) != ".pem" && bytes.Contains(content, []byte("-----BEGIN")) {
		found = append(found, "a PEM block")
	}
	return found
}
