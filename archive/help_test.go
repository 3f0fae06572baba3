package archive_test

import (
	"encoding/hex"
	"testing"

	"github.com/svc-edge/svc-verify/internal/must"
)

func unhex(t *testing.T, text string) []byte {
	t.Helper()
	return must.Get(hex.DecodeString(text))(t)
}
