package access

import (
	"os"
	"strings"

	"golang.org/x/sys/windows"
)

// Check returns an error that states the rights found if others may do more with an opened
// file or directory than that. The service is the user who runs this process.
func Check(f *os.File, others Others) error {
	sd, err := windows.GetSecurityInfo(windows.Handle(f.Fd()), windows.SE_FILE_OBJECT,
		windows.OWNER_SECURITY_INFORMATION|windows.DACL_SECURITY_INFORMATION)
	if err != nil {
		return err
	}
	service, err := identitySpellings()
	if err != nil {
		return err
	}
	return Judge(sd.String(), service, others)
}

// identitySpellings are the two ways in which SDDL may name the identity of this process:
// its SID, and an alias such as LS if it has one.
func identitySpellings() ([]string, error) {
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return nil, err
	}
	sd, err := windows.NewSecurityDescriptor()
	if err != nil {
		return nil, err
	}
	if err := sd.SetOwner(user.User.Sid, false); err != nil {
		return nil, err
	}
	relative, err := sd.ToSelfRelative()
	if err != nil {
		return nil, err
	}
	return []string{user.User.Sid.String(), strings.TrimPrefix(relative.String(), "O:")}, nil
}
