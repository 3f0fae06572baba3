package spark

import (
	"bytes"
	"net"
	"sync"
	"testing"
)

// cluster is a master and workers of Spark that run.
type cluster struct {
	folder  string // of Spark
	address string // of the master
	workers []int  // process ids
	dirs    []string
}

// record is what a process wrote; it may be read while the process runs.
type record struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (r *record) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.b.Write(b)
}

func (r *record) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.b.String()
}

// free returns an address on loopback that nothing listens on.
func free(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer l.Close()
	return l.Addr().String()
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
