package access

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/windows"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestCheck: the access rights that were written to a file are read back and judged.
func TestCheck(t *testing.T) {
	path := filepath.Join(t.TempDir(), "key")
	must.Do(t, os.WriteFile(path, nil, 0o600))
	user := must.Get(windows.GetCurrentProcessToken().GetTokenUser())(t)
	for rights, private := range map[string]bool{
		"(A;;FA;;;SY)(A;;FA;;;BA)": true,
		"(A;;FA;;;SY)(A;;FR;;;WD)": false,
	} {
		sd := must.Get(windows.SecurityDescriptorFromString("D:P(A;;FA;;;" + user.User.Sid.String() + ")" + rights))(t)
		dacl, _ := must.Two(sd.DACL())(t)
		must.Do(t, windows.SetNamedSecurityInfo(path, windows.SE_FILE_OBJECT,
			windows.DACL_SECURITY_INFORMATION|windows.PROTECTED_DACL_SECURITY_INFORMATION, nil, nil, dacl, nil))
		f := must.Get(os.Open(path))(t)
		found := Check(f, Nothing)
		if read := Check(f, Read); read != nil {
			t.Errorf("%s: readable: %v", rights, read)
		}
		_ = f.Close()
		check.That(t, (found == nil) == private, "%s: %v", rights, found)
	}
}
