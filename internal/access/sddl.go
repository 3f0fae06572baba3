package access

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/svc-edge/svc-verify/internal/safetext"
)

// The accounts that may always use a file, in addition to the service: SYSTEM and
// Administrators, by SID and by the alias that SDDL has for them.
var always = []string{"SY", "S-1-5-18", "BA", "S-1-5-32-544"}

// readable are the access rights that let others read and execute, and no more: the generic
// ones, FILE_GENERIC_READ and FILE_GENERIC_EXECUTE.
const readable = 0x80000000 | 0x20000000 | 0x120089 | 0x1200a0

// rights are the access rights that SDDL has letters for.
var rights = map[string]uint32{
	"GA": 0x10000000, "GR": 0x80000000, "GW": 0x40000000, "GX": 0x20000000,
	"RC": 0x20000, "SD": 0x10000, "WD": 0x40000, "WO": 0x80000,
	"FA": 0x1f01ff, "FR": 0x120089, "FW": 0x120116, "FX": 0x1200a0,
	"CC": 0x1, "DC": 0x2, "LC": 0x4, "SW": 0x8, "RP": 0x10, "WP": 0x20, "DT": 0x40, "LO": 0x80, "CR": 0x100,
}

// parts are owner, group and DACL of a security descriptor as Windows writes it.
// A system ACL may follow; it gives no access.
var parts = safetext.Pattern(
	`^(?:O:([A-Z]{2}|S-[0-9-]+))?(?:G:(?:[A-Z]{2}|S-[0-9-]+))?(?:D:([A-Z_]*)((?:\([^()]*\))*))?(?:S:.*)?$`)

// Judge holds the security descriptor of a file, in SDDL, to the rule for it. The service has
// one or more spellings. The error states the rights found.
//
// If others may do nothing, the DACL must be protected from inheritance, and it
// and the owner may name only the service, SYSTEM and Administrators. If
// others may read, all but these may have rights to read and execute only.
// Entries that deny are of no account. An entry that this package does not know,
// or that holds under a condition, counts as one that allows.
func Judge(sddl string, service []string, others Others) error {
	m := parts().FindStringSubmatch(sddl)
	if m == nil {
		return errors.New("a security descriptor that cannot be read")
	}
	owner, flags, entries := m[1], m[2], m[3]
	trusted := func(who string) bool { return slices.Contains(always, who) || slices.Contains(service, who) }
	switch {
	case !trusted(owner):
		return fmt.Errorf("the owner %s", nameError(owner))
	case !strings.Contains(sddl, "D:") || strings.Contains(flags, "NO_ACCESS_CONTROL"):
		return errors.New("no access control list, so that everybody has access")
	case others == Nothing && !strings.Contains(flags, "P"):
		return errors.New("an access control list that is not protected from inheritance")
	}
	for entry := range strings.SplitSeq(strings.Trim(entries, "()"), ")(") {
		if entry == "" {
			continue
		}
		e, err := parseEntry(entry)
		if err != nil {
			return err
		}
		if !e.denies && !trusted(e.who) && (others == Nothing || e.mask&^readable != 0) {
			return fmt.Errorf("access of %s", nameError(e.who))
		}
	}
	return nil
}

func nameError(who string) string {
	if who == "" {
		return "that is not said"
	}
	return who
}

// entry is one entry of an access control list.
type entry struct {
	denies bool
	mask   uint32
	who    string
}

// parseEntry reads type;flags;rights;object;inherited object;trustee.
func parseEntry(text string) (entry, error) {
	fields := strings.Split(text, ";")
	if len(fields) < 6 {
		return entry{}, errors.New("an entry of the access control list that cannot be read")
	}
	e := entry{who: fields[5], denies: slices.Contains([]string{"D", "OD", "XD"}, fields[0])}
	mask, err := parseRights(fields[2])
	e.mask = mask
	return e, err
}

func parseRights(text string) (uint32, error) {
	if n, err := strconv.ParseUint(text, 0, 32); err == nil {
		return uint32(n), nil
	}
	var mask uint32
	for rest := text; rest != ""; rest = rest[2:] {
		if len(rest) < 2 || rights[rest[:2]] == 0 {
			return 0, errors.New("access rights that cannot be read")
		}
		mask |= rights[rest[:2]]
	}
	return mask, nil
}
