// Package record defines the records that a node writes into the secret store for consumers.
// It has generations, each a certificate chain with its key, and the pointer that names those
// in use (service/docs/secret-store.md, Records).
//
// A record that was read is anyone's text. Parsing is strict, and no error
// repeats a text of it: it may be a key or a token.
package record

import (
	"fmt"
	"regexp"
	"strconv"
)

// MaxSlot is the highest number of a slot. The lowest is 1.
const MaxSlot = 999999

// PointerPath is the path of the pointer below the base path.
const PointerPath = "pointer"

// SlotName is the name of slot n, such as slot-000007.
func SlotName(n int64) string { return fmt.Sprintf("slot-%06d", n) }

// GenerationPath is the path of the generation of slot n below the base path,
// such as generations/slot-000007.
func GenerationPath(n int64) string { return "generations/" + SlotName(n) }

var slotName = regexp.MustCompile(`^slot-[0-9]{6}$`)

// ParseSlotName reads the name of a slot, in the one form that [SlotName] writes.
// The error does not repeat it.
func ParseSlotName(s string) (int64, error) {
	if slotName.MatchString(s) {
		if n, err := strconv.ParseInt(s[len("slot-"):], 10, 64); err == nil && inRange(n) {
			return n, nil
		}
	}
	return 0, fmt.Errorf("expected a slot from %s to %s, found %s", SlotName(1), SlotName(MaxSlot), hiddenText(s))
}

func inRange(n int64) bool { return 1 <= n && n <= MaxSlot }

// hiddenText describes a text in whose place someone may have put a secret.
func hiddenText(s string) string { return fmt.Sprintf("%d bytes of text, not shown", len(s)) }
