package confined

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
)

// childName is the argv[0] of a child.
const childName = "svc-verify: confined reader"

// init makes a child of the program if it was started as one: by its name, and with the
// pipe of a parent as its standard input.
func init() {
	if len(os.Args) >= 2 && os.Args[0] == childName && isPipe(os.Args[1]) {
		serveJobs()
	}
}

// mostMemory is the memory of a child besides its memory at the start, and heapTarget the size
// at which the collector works hard.
const (
	mostMemory = 256 << 20
	heapTarget = 160 << 20
)

// The walls around a child.
const (
	fullWall = "full"
	weakWall = "weak" // the system has none
	noWall   = "none" // the system should have one, and has not
)

// raise builds the wall. A test puts others in its place.
var raise = raiseWall

// serveJobs decodes the parent's jobs, until its pipe ends.
func serveJobs() {
	runtime.GOMAXPROCS(2)
	debug.SetMemoryLimit(heapTarget)
	o := &output{w: bufio.NewWriterSize(os.Stdout, 64<<10)}
	o.writeText(isReady, raise())
	_ = o.w.Flush()
	jobs := make(chan job)
	go func() {
		for j := range jobs {
			j.decodeFile(o)
		}
	}()
	for {
		j, err := receiveJob()
		if err != nil {
			os.Exit(0)
		}
		jobs <- j
	}
}

// job is one file to decode.
type job struct {
	request
	octets io.ReaderAt
	close  func() error
}

// decodeFile decodes a file, and writes how that ended.
func (j job) decodeFile(o *output) {
	o.members = j.most
	o.writeStatus(Final, j.decodeGuarded(o))
	_ = j.close()
	if err := o.w.Flush(); err != nil {
		os.Exit(1)
	}
}

// decodeGuarded decodes a file. A panic of the library is an error.
func (j job) decodeGuarded(o *output) (err error) {
	defer func() {
		if why := recover(); why != nil {
			err = fmt.Errorf("the library failed: %v", why)
		}
	}()
	if int(j.format) >= len(decoders) {
		return fmt.Errorf("no such format: %d", j.format)
	}
	return decoders[j.format].decode(io.NewSectionReader(j.octets, 0, j.size), o)
}

// receiveInline reads the bytes of a file that follow its request.
func receiveInline(r request, from io.Reader) (job, error) {
	b := make([]byte, r.size)
	_, err := io.ReadFull(from, b)
	return job{request: r, octets: bytes.NewReader(b), close: func() error { return nil }}, err
}
