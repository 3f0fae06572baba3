package trust

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/vectors"
)

// TestSections: there are 65,536 node keys at most, and 1024 members of the other
// sections.
func TestSections(t *testing.T) {
	pins := func(n int) string {
		var members []string
		for i := range n {
			members = append(members, fmt.Sprintf(`"%d": %q`, i+1, encode(make([]byte, 32))))
		}
		return "{" + strings.Join(members, ",") + "}"
	}
	keys := func(n int) string {
		return strings.ReplaceAll(vectors.NodeKeys(n, 1), strings.Repeat("0", 90), "key-")
	}
	for member, of := range map[string]func(int) string{
		"audit_keys": keys, "protected_signer_keys": keys, "registries": pins,
	} {
		check.OK(t, check.Err(Parse(file(map[string]string{member: of(form.MaxList)}))), "%s", member)
		refused(t, file(map[string]string{member: of(form.MaxList + 1)}), form.BadValue, "/"+member)
	}
	refused(t, file(map[string]string{"nodes": pins(form.MaxNodeKeys + 1)}), form.BadValue, "/nodes")
}

// TestSize: a trust file has at most 16 MiB.
func TestSize(t *testing.T) {
	doc := file(nil)
	doc = append(doc, strings.Repeat(" ", form.MaxTrust-len(doc))...)
	_, err := Parse(doc)
	check.That(t, err == nil && len(doc) == 16<<20, "of %d bytes: %v", len(doc), err)
	refused(t, append(doc, ' '), form.TooLarge, "")
}

func refused(t *testing.T, doc []byte, code, pointer string) {
	t.Helper()
	_, err := Parse(doc)
	var faults Faults
	check.That(t, errors.As(err, &faults) && len(faults) == 1 && faults[0].Code == code && faults[0].Path == pointer,
		"refused with %v, want %s at %q", err, code, pointer)
}
