package read

import "errors"

// The properties of a header of 7z (7zFormat.txt of 7-Zip).
const (
	sevenEnd            = 0x00
	sevenHeader         = 0x01
	sevenArchive        = 0x02
	sevenAdditional     = 0x03
	sevenMainStreams    = 0x04
	sevenFiles          = 0x05
	sevenPack           = 0x06
	sevenUnpack         = 0x07
	sevenSubstreams     = 0x08
	sevenSize           = 0x09
	sevenSum            = 0x0a
	sevenFolder         = 0x0b
	sevenUnpackSize     = 0x0c
	sevenCount          = 0x0d
	sevenNoStream       = 0x0e
	sevenEmptyFile      = 0x0f
	sevenNames          = 0x11
	sevenAttributes     = 0x15
	sevenEncodedHeader  = 0x17
	maxCoders           = 8
	sevenUnixAttributes = 0x8000
)

var errSevenHeader = errors.New("its header is damaged")

// sevenDirectory is what the header of an archive says.
type sevenDirectory struct {
	packed  []sevenPacked
	folders []sevenFolderInfo
	files   []sevenFile
}

// sevenPacked is a piece of packed data.
type sevenPacked struct{ at, size int64 }

// sevenFolderInfo is a stream of files, one after the other.
type sevenFolderInfo struct {
	coders []sevenCoder // the last one decodes first
	sizes  []int64      // of what each coder makes
	packed int          // where its data is
	simple bool         // its coders follow one another
	sum    *uint32
	files  []sevenSubstream
}

type sevenCoder struct{ id, properties string }

// sevenSubstream is the content of one file.
type sevenSubstream struct {
	size int64
	sum  *uint32
}

// sevenFile is a file, or a folder of files.
type sevenFile struct {
	name      string
	noStream  bool
	emptyFile bool
	mode      uint32 // as on Unix; 0 if it is not said
}
