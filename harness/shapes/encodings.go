package shapes

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"io"
	"strings"

	_ "modernc.org/sqlite" // the driver

	"github.com/svc-edge/svc-verify/harness/seal"
)

// through returns a function that sends a content through a compressor.
func through[W io.WriteCloser](compressor func(io.Writer) W) func(string) string {
	return func(content string) string {
		var out bytes.Buffer
		w := compressor(&out)
		seal.Must(w.Write([]byte(content)))
		seal.Do(w.Close())
		return out.String()
	}
}

// packZip packs files, each a name and its content. It never compresses the file that states
// the type of the packed content.
func packZip(method uint16, files []string) string {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for ; len(files) > 0; files = files[2:] {
		header := &zip.FileHeader{Name: files[0], Method: method}
		if header.Name == "mimetype" {
			header.Method = zip.Store
		}
		seal.Must(seal.Must(w.CreateHeader(header)).Write([]byte(files[1])))
	}
	seal.Do(w.Close())
	return out.String()
}

// packTar packs files as packZip does.
func packTar(files ...string) string {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for ; len(files) > 0; files = files[2:] {
		size := int64(len(files[1]))
		seal.Do(w.WriteHeader(&tar.Header{Name: files[0], Mode: 0o644, Size: size, Format: tar.FormatUSTAR}))
		seal.Must(w.Write([]byte(files[1])))
	}
	seal.Do(w.Close())
	return out.String()
}

// packCpio packs files as packZip does.
func packCpio(files ...string) string {
	var out strings.Builder
	files = append(files, "TRAILER!!!", "")
	for i := 0; i < len(files); i += 2 {
		name, content, n := files[i], files[i+1], (i/2+1)%(len(files)/2)
		head := fmt.Sprintf("070701%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X",
			n, 0o100644, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(name)+1, 0)
		out.WriteString(head + name + "\x00" + strings.Repeat("\x00", -(len(head)+len(name)+1)&3))
		out.WriteString(content + strings.Repeat("\x00", -len(content)&3))
	}
	return out.String()
}

// packSQLite is a database of one table.
func packSQLite(all records) string {
	db := seal.Must(sql.Open("sqlite", ":memory:"))
	defer func() { seal.Do(db.Close()) }()
	conn := seal.Must(db.Conn(context.Background()))
	defer func() { seal.Do(conn.Close()) }()
	execute := func(statement string, values ...any) {
		seal.Must(conn.ExecContext(context.Background(), statement, values...))
	}
	execute("CREATE TABLE audit(id INTEGER PRIMARY KEY, received_at TEXT, x_svc_edge_audit_batch TEXT, body TEXT)")
	for _, r := range all {
		execute("INSERT INTO audit VALUES(?,?,?,?)", r.N, r.Stamp(), r.Batch, r.Line)
	}
	var content []byte
	seal.Do(conn.Raw(func(driver any) (err error) {
		content, err = driver.(interface{ Serialize() ([]byte, error) }).Serialize()
		return err
	}))
	return string(content)
}
