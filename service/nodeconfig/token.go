package nodeconfig

import (
	"strings"

	"github.com/svc-edge/svc-verify/internal/safetext"
)

// maxToken is the length of a token in characters.
const maxToken = 8192

// Token reads the token of the secret store, as must be done anew for every
// request. The file holds the token alone, and perhaps one newline behind it.
// The error holds nothing of the token.
func (s *SecretStore) Token() (string, error) {
	doc, err := secretFile.read(s.TokenFile.Path, maxSecret)
	if err != nil {
		return "", err
	}
	token := strings.TrimSuffix(string(doc), "\n")
	graphic := !strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' })
	if token == "" || len(token) > maxToken || !graphic {
		return "", &problem{
			"a token of 1 to 8192 characters of printable ASCII without a space, and at most one newline behind it",
			safetext.Count(len(doc), "byte") + ", not shown",
		}
	}
	return token, nil
}
