package pki

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/svc-edge/svc-verify/harness/seal"
)

// maxKeyFile is the size of a key file in bytes; one has about 120.
const maxKeyFile = 4096

// OpenKey returns the Ed25519 key of a file, and makes both if the file is not there.
func OpenKey(path string) (ed25519.PrivateKey, error) {
	key, err := ReadKey(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	_, private, err := ed25519.GenerateKey(nil)
	seal.Do(err)
	der := seal.Must(x509.MarshalPKCS8PrivateKey(private))
	if err := WriteSecret(path, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})); err != nil {
		return nil, err
	}
	return ReadKey(path)
}

// ReadKey returns the Ed25519 key of a file, which must be a regular one for which group and
// others have no permission. No error repeats the content of the file.
func ReadKey(path string) (ed25519.PrivateKey, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("%s: expected a regular file without permissions for group and others, found %s",
			path, info.Mode())
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, maxKeyFile))
	if err != nil {
		return nil, err
	}
	if block, rest := pem.Decode(content); block != nil && block.Type == "PRIVATE KEY" && len(rest) == 0 {
		key, _ := x509.ParsePKCS8PrivateKey(block.Bytes)
		if private, ok := key.(ed25519.PrivateKey); ok {
			return private, nil
		}
	}
	return nil, fmt.Errorf("%s: expected one Ed25519 private key in PKCS #8 and PEM", path)
}
