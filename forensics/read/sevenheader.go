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

// header reads a header behind its first octet.
func (r *sevenReader) header() (d sevenDirectory) {
	for !r.bad {
		switch id := r.number(); id {
		case sevenEnd:
			return d
		case sevenArchive:
			r.properties()
		case sevenMainStreams:
			d = r.streams()
		case sevenFiles:
			d.files = r.files()
		default: // additional streams, too, which no program writes
			r.fail()
		}
	}
	return d
}

// properties passes properties that say nothing about contents.
func (r *sevenReader) properties() {
	for !r.bad && r.number() != sevenEnd {
		r.take(r.number())
	}
}

// streams reads where packed data is, and how it is decoded.
func (r *sevenReader) streams() (d sevenDirectory) {
	split := false
	for !r.bad {
		switch r.number() {
		case sevenEnd:
			if !split {
				d.wholeFolders()
			}
			return d
		case sevenPack:
			d.packed = r.packed()
		case sevenUnpack:
			d.folders = r.folders()
		case sevenSubstreams:
			split = true
			r.substreams(d.folders)
		default:
			r.fail()
		}
	}
	return d
}

// wholeFolders makes each folder one file.
func (d *sevenDirectory) wholeFolders() {
	for i := range d.folders {
		f := &d.folders[i]
		f.files = []sevenSubstream{{f.size(), f.sum}}
	}
}

// packed reads where packed data is.
func (r *sevenReader) packed() (all []sevenPacked) {
	at, n := r.size(), r.count()
	for !r.bad {
		switch r.number() {
		case sevenEnd:
			if len(all) != n {
				r.fail()
			}
			return all
		case sevenSize:
			for range n {
				size := r.size()
				if r.bad || at > 1<<60 {
					return nil
				}
				all = append(all, sevenPacked{at, size})
				at += size
			}
		case sevenSum:
			r.sums(n)
		default:
			r.fail()
		}
	}
	return nil
}
