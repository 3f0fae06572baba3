package trust

import (
	"crypto/ed25519"
	"crypto/sha256"
	"sync"

	"github.com/svc-edge/svc-verify/internal/eddsa"
)

// Session verifies much evidence under one trust file. It gives the same answers as the trust
// file alone, several times faster: the keys that are used most get tables, and a signature
// that many bundles share, such as a checkpoint's, is verified once. It is safe for concurrent
// use.
type Session struct {
	root   Root
	verify func(PublicKey, []eddsa.Item, []bool) error
	held   remembered

	mu  sync.Mutex
	err error
}

// SessionMemory is enough for the tables of a hundred keys in use.
const SessionMemory = eddsa.MostTables

// NewSession returns a session that uses at most so many bytes of memory, or 4 MiB, for all
// pinned keys together, however many there are.
func NewSession(root *Root, memory int) *Session {
	keys := eddsa.NewKeys(memory - rememberedSize)
	s := &Session{root: *root}
	s.verify = func(key PublicKey, items []eddsa.Item, valid []bool) error { return keys.Of(key).Verify(items, valid) }
	s.root.verify = s.isSignedBy
	return s
}

// Root returns the trust file, whose signatures the session verifies.
func (s *Session) Root() *Root { return &s.root }

// Err returns an error if two implementations of Ed25519 disagreed: then the
// program or the machine is defective, and no answer of the session counts. Ask
// before an answer is used.
func (s *Session) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// isSignedBy reports what [PublicKey.isSignedBy] does.
func (s *Session) isSignedBy(key PublicKey, message, signature []byte) bool {
	if len(signature) != ed25519.SignatureSize {
		return false
	}
	id := claimID(key, message, signature)
	if s.held.hasSignature(id) {
		return true
	}
	valid := []bool{false}
	if err := s.verify(key, []eddsa.Item{{Message: message, Signature: signature}}, valid); err != nil {
		s.mu.Lock()
		s.err = err
		s.mu.Unlock()
		return false
	}
	if valid[0] {
		s.held.addSignature(id)
	}
	return valid[0]
}

// claim identifies a signature with everything that decides whether it holds.
type claim [sha256.Size]byte

// claimID digests a claim. Keys and signatures are of one length, so that no two
// claims are written alike.
func claimID(key PublicKey, message, signature []byte) (id claim) {
	h := sha256.New()
	h.Write(key[:])
	h.Write(signature)
	h.Write(message)
	h.Sum(id[:0])
	return id
}

const (
	// rememberedClaims is how many signatures are remembered at least, once there have been as
	// many: enough for thousands of bundles.
	rememberedClaims = 1 << 14

	// rememberedSize is the most memory that they use, in two maps that are half empty.
	rememberedSize = 2 * rememberedClaims * 4 * sha256.Size
)

// remembered are signatures that hold, the latest and those before them. A signature that is
// used again becomes one of the latest. Those that do not hold are verified each time.
type remembered struct {
	mu             sync.Mutex
	latest, before map[claim]struct{}
}

func (r *remembered) hasSignature(id claim) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.latest[id]; ok {
		return true
	}
	_, ok := r.before[id]
	if ok {
		r.putSignature(id)
	}
	return ok
}

func (r *remembered) addSignature(id claim) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.putSignature(id)
}

func (r *remembered) putSignature(id claim) {
	if r.latest == nil || len(r.latest) == rememberedClaims {
		r.latest, r.before = make(map[claim]struct{}), r.latest
	}
	r.latest[id] = struct{}{}
}
