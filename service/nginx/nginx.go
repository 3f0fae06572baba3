// Package nginx is the adapter for web servers that read their certificate from
// a folder (service/docs/service.md).
package nginx

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/svc-edge/svc-verify/harness/pki"
	"github.com/svc-edge/svc-verify/service/adapter"
)

// nginx delivers into a folder that a web server reads, one for each
// integration:
//
//	<integration id>/<transaction id>/certificate.pem, private-key.pem
//	<integration id>/staged   -> <transaction id>
//	<integration id>/current  -> <transaction id>
//
// The server's configuration names current/…. The two links are replaced by
// rename, so that a reader sees the old pair or the new one.
type nginx struct{ directory string }

// New returns the adapter that keeps its folders in a directory, which it makes
// when it needs it.
func New(directory string) adapter.Adapter { return nginx{directory} }

const (
	certificateFile = "certificate.pem"
	privateKeyFile  = "private-key.pem"
	stagedLink      = "staged"
	currentLink     = "current"
)

// folder is where an integration's deliveries are. An id is a name, never a way
// to somewhere else.
func (n nginx) folder(integrationID string) (string, error) {
	if slices.Contains([]string{"", ".", "..", stagedLink, currentLink}, integrationID) {
		return "", fmt.Errorf("%q is no name of a folder", integrationID)
	}
	return filepath.Join(n.directory, integrationID), nil
}

// Check makes the folder if it does not exist, and checks that the node can write to it and
// that the pair in use is whole.
func (n nginx) Check(_ context.Context, d adapter.Desired) error {
	folder, err := n.folder(d.IntegrationID)
	if err != nil {
		return adapter.NewFault(adapter.Unavailable, err)
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return adapter.NewFault(adapter.Unavailable, err)
	}
	probe, err := os.CreateTemp(folder, ".probe-*")
	if err != nil {
		return adapter.NewFault(adapter.Unavailable, err)
	}
	if err := errors.Join(probe.Close(), os.Remove(probe.Name())); err != nil {
		return adapter.NewFault(adapter.Unavailable, err)
	}
	for _, name := range []string{certificateFile, privateKeyFile} {
		_, err := os.Stat(filepath.Join(folder, currentLink, name))
		if _, linked := os.Lstat(filepath.Join(folder, currentLink)); linked == nil && err != nil {
			return adapter.NewFault(adapter.Unavailable, err)
		}
	}
	return nil
}

// Withdraw leaves the files in use: a workload must not lose the certificate that it serves
// with. It only removes the staged delivery; there is none under an id that is no name.
func (n nginx) Withdraw(_ context.Context, d adapter.Desired) error {
	folder, err := n.folder(d.IntegrationID)
	if err != nil {
		return nil
	}
	if err := os.Remove(filepath.Join(folder, stagedLink)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Stage writes key and chain into a folder of their own.
func (n nginx) Stage(_ context.Context, d adapter.Delivery) error {
	folder, err := n.folder(d.IntegrationID)
	if err != nil {
		return err
	}
	if _, err := n.folder(d.TransactionID); err != nil {
		return err
	}
	generation := filepath.Join(folder, d.TransactionID)
	if err := os.MkdirAll(generation, 0o700); err != nil {
		return err
	}
	files, err := filesOf(d)
	if err != nil {
		return err
	}
	for name, content := range files {
		if err := pki.WriteSecret(filepath.Join(generation, name), content); err != nil {
			return err
		}
	}
	return replaceLink(filepath.Join(folder, stagedLink), d.TransactionID)
}

// Promote reads back the staged delivery and makes it current; the delivery that was current
// before is removed.
func (n nginx) Promote(ctx context.Context, d adapter.Delivery) error {
	folder, err := n.folder(d.IntegrationID)
	if err != nil {
		return err
	}
	if err := readBack(filepath.Join(folder, d.TransactionID), d); err != nil {
		return err
	}
	current := filepath.Join(folder, currentLink)
	before, err := os.Readlink(current)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := replaceLink(current, d.TransactionID); err != nil {
		return err
	}
	if before != "" && before != d.TransactionID {
		if err := os.RemoveAll(filepath.Join(folder, filepath.Base(before))); err != nil {
			return err
		}
	}
	return n.Withdraw(ctx, d.Desired)
}

// readBack checks that a folder has exactly the delivery.
func readBack(folder string, d adapter.Delivery) error {
	files, err := filesOf(d)
	if err != nil {
		return err
	}
	for name, want := range files {
		found, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			return err
		}
		if !bytes.Equal(found, want) {
			return fmt.Errorf("%s of %s is not what was delivered", name, d.TransactionID)
		}
	}
	return nil
}

// filesOf returns the files of a delivery.
func filesOf(d adapter.Delivery) (map[string][]byte, error) {
	der, err := x509.MarshalPKCS8PrivateKey(d.Key)
	if err != nil {
		return nil, err
	}
	key := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
	return map[string][]byte{certificateFile: pki.ChainPEM(d.Certificates), privateKeyFile: key}, nil
}

// replaceLink makes a link lead to another folder next to it, at once and durable.
func replaceLink(path, target string) error {
	fresh := path + ".new"
	if err := os.Remove(fresh); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Symlink(target, fresh); err != nil {
		return err
	}
	if err := os.Rename(fresh, path); err != nil {
		return err
	}
	return pki.SyncDirectory(filepath.Dir(path))
}
