package agent

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/svc-edge/svc-verify/harness/node"
	"github.com/svc-edge/svc-verify/harness/pki"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// maxKeyFile is the size of a key file in bytes; one has about 120.
const maxKeyFile = 4096

// keyFile is the name of the file of a key generation.
func keyFile(generation int64) string {
	if generation == 1 {
		return "identity.key"
	}
	return "identity-" + strconv.FormatInt(generation, 10) + ".key"
}

// MakeIdentity returns the first generation of a node's key from its state
// directory. It makes the key, and the directory, if they are not there.
func MakeIdentity(directory, nodeID string) (seal.Key, error) {
	if err := os.MkdirAll(directory, 0o700); err != nil {
		return seal.Key{}, err
	}
	return makeKey(directory, nodeID, 1)
}

// makeKey returns a key generation, and makes it if it is not there: one that
// was made, and not announced before the process ended, is taken up again.
func makeKey(directory, nodeID string, generation int64) (seal.Key, error) {
	key, err := readKey(directory, nodeID, generation)
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return seal.Key{}, err
	}
	der, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return seal.Key{}, err
	}
	block := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
	if err := pki.WriteSecret(filepath.Join(directory, keyFile(generation)), block); err != nil {
		return seal.Key{}, err
	}
	return readKey(directory, nodeID, generation)
}

// readKey reads a key generation. Its file is a regular one, and nobody but the
// owner has any permission for it. No error repeats what the file holds.
func readKey(directory, nodeID string, generation int64) (seal.Key, error) {
	path := filepath.Join(directory, keyFile(generation))
	info, err := os.Lstat(path)
	if err != nil {
		return seal.Key{}, err
	}
	if !info.Mode().IsRegular() || info.Mode().Perm()&0o077 != 0 {
		return seal.Key{}, fmt.Errorf("%s: expected a regular file without permissions for group and others, found %s",
			path, info.Mode())
	}
	f, err := os.Open(path)
	if err != nil {
		return seal.Key{}, err
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, maxKeyFile))
	if err != nil {
		return seal.Key{}, err
	}
	if block, rest := pem.Decode(content); block != nil && block.Type == "PRIVATE KEY" && len(rest) == 0 {
		if key, err := x509.ParsePKCS8PrivateKey(block.Bytes); err == nil {
			if private, ok := key.(ed25519.PrivateKey); ok {
				return seal.Key{ID: node.KeyID(nodeID, int(generation)), Private: private}, nil
			}
		}
	}
	return seal.Key{}, fmt.Errorf("%s: expected one Ed25519 private key in PKCS #8 and PEM", path)
}
