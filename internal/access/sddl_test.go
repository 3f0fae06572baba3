package access

import (
	"strings"
	"testing"
)

const service = "S-1-5-21-1-2-3-1001"

// TestJudge: the rule for private keys, and that for files that
// others may read, over descriptors as Windows writes them.
func TestJudge(t *testing.T) {
	for _, c := range []struct {
		name, sddl    string
		private, read string // "" for one that passes
	}{
		{"the three", "O:" + service + "G:S-1-5-21-1-2-3-513D:P(A;;FA;;;" + service + ")(A;;FA;;;SY)(A;;FA;;;BA)", "", ""},
		{"the service alone", "O:" + service + "D:P(A;;FA;;;" + service + ")", "", ""},
		{"by SIDs", "O:S-1-5-32-544D:P(A;;FA;;;S-1-5-18)(A;;FA;;;S-1-5-32-544)", "", ""},
		{"an alias of the service", "O:LSD:PAI(A;;FA;;;LS)", "", ""},
		{"protected and empty", "O:SYD:P", "", ""},
		{"with a system list", "O:SYD:P(A;;FA;;;SY)S:AI(AU;SAFA;FA;;;WD)", "", ""},
		{"one who is denied", "O:SYD:P(D;;FA;;;WD)(A;;FA;;;SY)", "", ""},
		{"inherited", "O:SYD:(A;;FA;;;SY)", "not protected", ""},
		{"inherited, as it is by default", "O:SYD:AI(A;ID;FA;;;SY)(A;ID;FA;;;BA)", "not protected", ""},
		{"inherited, readable", "O:SYD:AI(A;ID;FA;;;SY)(A;ID;0x1200a9;;;BU)", "not protected", ""},
		{"readable by users", "O:SYD:P(A;;FA;;;SY)(A;;FR;;;BU)", "access of BU", ""},
		{"readable by everyone", "O:SYD:P(A;;GRGX;;;WD)", "access of WD", ""},
		{"writable by users", "O:SYD:P(A;;FA;;;SY)(A;;FRFW;;;BU)", "access of BU", "access of BU"},
		{"everything to users, in hexadecimal", "O:SYD:P(A;;0x1f01ff;;;AU)", "access of AU", "access of AU"},
		{"append to users", "O:SYD:P(A;;LC;;;AU)", "access of AU", "access of AU"},
		{"another account", "O:SYD:P(A;;FA;;;" + service + "0)", "access of " + service + "0", "access of " + service + "0"},
		{"the rights of the owner", "O:SYD:P(A;;FA;;;OW)", "access of OW", "access of OW"},
		{"under a condition", `O:SYD:P(XA;;FA;;;WD;1==1)`, "access of WD", "access of WD"},
		{"of an object", "O:SYD:P(OA;;FA;;;WD)", "access of WD", "access of WD"},
		{"of an unknown type", "O:SYD:P(ZZ;;FA;;;WD)", "access of WD", "access of WD"},
		{"for what is below only", "O:SYD:P(A;OICIIO;FA;;;WD)", "access of WD", "access of WD"},
		{"another owner", "O:BUD:P(A;;FA;;;SY)", "the owner BU", "the owner BU"},
		{"no owner", "D:P(A;;FA;;;SY)", "the owner that is not said", "the owner that is not said"},
		{"no list", "O:SY", "no access control list", "no access control list"},
		{"a list of nobody's", "O:SYD:NO_ACCESS_CONTROL", "no access control list", "no access control list"},
		{"unknown rights", "O:SYD:P(A;;QQ;;;SY)", "rights that cannot be read", "rights that cannot be read"},
		{"a short entry", "O:SYD:P(A;;FA;;SY)", "cannot be read", "cannot be read"},
		{"no descriptor", "SY", "cannot be read", "cannot be read"},
		{"nothing", "", "the owner", "the owner"},
	} {
		for others, want := range map[Others]string{Nothing: c.private, Read: c.read} {
			err := Judge(c.sddl, []string{service, "LS"}, others)
			if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%s, others %d: %v, want %q", c.name, others, err, want)
			}
		}
	}
}

// FuzzJudge: whatever the text is, there is no panic, and a list that names
// everyone is never private.
func FuzzJudge(f *testing.F) {
	f.Add("O:SYD:P(A;;FA;;;SY)")
	f.Add("O:SYD:P(XA;;FA;;;WD;(1))")
	f.Fuzz(func(t *testing.T, sddl string) {
		err := Judge(sddl, []string{service}, Nothing)
		if err == nil && strings.Contains(sddl, "(A;;FA;;;WD)") && !strings.Contains(sddl, "S:") {
			t.Errorf("%s is private", sddl)
		}
	})
}
