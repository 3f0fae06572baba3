package read

import "archive/tar"

// tarPacker reads tar.
type tarPacker struct{ *tar.Reader }

func openTar(s *stream) packer { return tarPacker{tar.NewReader(s.in)} }

func (tarPacker) starts(b []byte) bool { return isTar(b) }

func (t tarPacker) next() (entry, error) {
	header, err := t.Next()
	if err != nil {
		return entry{}, err
	}
	e := entry{name: header.Name, kind: isNoFile}
	switch header.Typeflag {
	case tar.TypeReg, tar.TypeGNUSparse:
		e.kind = isFile
	case tar.TypeDir, tar.TypeXGlobalHeader:
		e.kind = isAside
	}
	return e, nil
}
