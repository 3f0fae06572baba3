package access

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/windows"
)

// TestCheck: what the system says of a file is what was written to it, and is
// judged.
func TestCheck(t *testing.T) {
	path := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		t.Fatal(err)
	}
	for rights, private := range map[string]bool{
		"(A;;FA;;;SY)(A;;FA;;;BA)": true,
		"(A;;FA;;;SY)(A;;FR;;;WD)": false,
	} {
		sd, err := windows.SecurityDescriptorFromString("D:P(A;;FA;;;" + user.User.Sid.String() + ")" + rights)
		if err != nil {
			t.Fatal(err)
		}
		dacl, _, err := sd.DACL()
		if err != nil {
			t.Fatal(err)
		}
		if err := windows.SetNamedSecurityInfo(path, windows.SE_FILE_OBJECT,
			windows.DACL_SECURITY_INFORMATION|windows.PROTECTED_DACL_SECURITY_INFORMATION, nil, nil, dacl, nil); err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		found := Check(f, Nothing)
		if read := Check(f, Read); read != nil {
			t.Errorf("%s: readable: %v", rights, read)
		}
		_ = f.Close()
		if (found == nil) != private {
			t.Errorf("%s: %v", rights, found)
		}
	}
}
