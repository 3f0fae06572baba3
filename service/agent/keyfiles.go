package agent

import (
	"os"
	"path/filepath"
	"strconv"

	"github.com/svc-edge/svc-verify/harness/node"
	"github.com/svc-edge/svc-verify/harness/pki"
	"github.com/svc-edge/svc-verify/harness/seal"
)

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
	private, err := pki.OpenKey(filepath.Join(directory, keyFile(generation)))
	return seal.Key{ID: node.KeyID(nodeID, int(generation)), Private: private}, err
}

// ReadKey returns a key generation of a node from its state directory.
func ReadKey(directory, nodeID string, generation int64) (seal.Key, error) {
	private, err := pki.ReadKey(filepath.Join(directory, keyFile(generation)))
	return seal.Key{ID: node.KeyID(nodeID, int(generation)), Private: private}, err
}
