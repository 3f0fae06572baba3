//go:build !unix

package fleet

import "errors"

// makePipe fails: there are no named pipes among the files of this system.
func makePipe(string) error { return errors.ErrUnsupported }
