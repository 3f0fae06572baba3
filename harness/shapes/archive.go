package shapes

import (
	"archive/tar"
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
)

// archiveShapes are the log in containers.
func archiveShapes() []Shape {
	const (
		gz    = "RFC 1952: GZIP file format, https://www.rfc-editor.org/rfc/rfc1952"
		zs    = "RFC 8878: Zstandard, https://www.rfc-editor.org/rfc/rfc8878"
		zl    = "RFC 1950: ZLIB, https://www.rfc-editor.org/rfc/rfc1950"
		sz    = "Snappy: Framing format, https://github.com/google/snappy/blob/main/framing_format.txt"
		xzs   = "XZ Utils: The .xz File Format, https://tukaani.org/xz/xz-file-format.txt"
		tape  = "POSIX: pax, ustar interchange format, https://pubs.opengroup.org/onlinepubs/9699919799/utilities/pax.html"
		zips  = "PKWARE: APPNOTE.TXT, https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT"
		cpios = "FreeBSD: cpio(5), https://man.freebsd.org/cgi/man.cgi?query=cpio&sektion=5"
		split = "GNU coreutils: split, https://www.gnu.org/software/coreutils/split"
		b64   = "GNU coreutils: base64, https://www.gnu.org/software/coreutils/base64"
		asIs  = "the file as it is"
	)
	log := plain("")
	named := func(pack func(string, string, []byte) []byte) func([]byte) []byte {
		return func(b []byte) []byte { return pack("audit/berlin.jsonl", "audit/README", b) }
	}
	shape := func(name, document, file string, encode func([]byte) []byte) Shape {
		return Shape{Name: name, Document: document, Export: asIs, Keeps: Octets, Write: encoded(file, log, encode)}
	}
	whole := func(s Shape) Shape {
		s.Whole = true
		return s
	}
	text := shape("base64/gzip", b64, "audit.b64", func(b []byte) []byte {
		return []byte(wrapped(base64Text(string(gzipped(b))), 76, "\n") + "\n")
	})
	return []Shape{
		whole(shape("zip/deflated", zips, "audit.zip", named(zipFile(false)))),
		whole(shape("zip/stored", zips, "audit.zip", named(zipFile(true)))),
		whole(shape("tar/zip-in-gzip", zips, "audit.tar.gz", func(b []byte) []byte {
			return gzipped(tarFile("audit.zip", "README", zipFile(false)("audit.jsonl", "README", b)))
		})),
		text,
		shape("gzip/file", gz, "audit.jsonl.gz", gzipped),
		whole(shape("zstd/file", zs, "audit.jsonl.zst", zstded)), // a small file is one block
		shape("zlib/file", zl, "audit.zlib", through(func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) })),
		whole(shape("snappy/framed", sz, "audit.jsonl.sz",
			through(func(w io.Writer) io.WriteCloser { return snappy.NewBufferedWriter(w) }))),
		whole(shape("xz/file", xzs, "audit.jsonl.xz",
			through(func(w io.Writer) io.WriteCloser { return must(xz.NewWriter(w)) }))),
		shape("tar/file", tape, "audit.tar", named(tarFile)),
		shape("tar/gzip", tape, "audit.tar.gz", func(b []byte) []byte { return gzipped(named(tarFile)(b)) }),
		whole(shape("tar/zstd", tape, "audit.tar.zst", func(b []byte) []byte { return zstded(named(tarFile)(b)) })),
		shape("cpio/newc", cpios, "audit.cpio", named(cpioFile)),
		shape("ar/file", "FreeBSD: ar(5), https://man.freebsd.org/cgi/man.cgi?query=ar&sektion=5", "audit.a", arFile),
		shape("base64/file", b64, "audit.b64", func(b []byte) []byte {
			return []byte(wrapped(base64Text(string(b)), 76, "\n") + "\n")
		}),
		shape("hex/xxd", "Vim: xxd -p, https://github.com/vim/vim/blob/master/runtime/doc/xxd.man", "audit.hex",
			func(b []byte) []byte { return []byte(wrapped(hexText(string(b)), 60, "\n") + "\n") }),
		{
			Name: "split/plain", Document: split, Export: "all parts, in one folder", Keeps: Octets,
			Write: splitInto(log, "audit.jsonl."),
		},
		{
			Name: "split/tar-gzip", Document: split, Export: "all parts, in one folder", Keeps: Octets,
			Write: splitInto(encoded("", log, func(b []byte) []byte { return gzipped(named(tarFile)(b)) }), "audit.tar.gz."),
		},
	}
}

// through sends a content through a compressor.
func through(compressor func(io.Writer) io.WriteCloser) func([]byte) []byte {
	return func(content []byte) []byte {
		var out bytes.Buffer
		w := compressor(&out)
		must(w.Write(content))
		must(0, w.Close())
		return out.Bytes()
	}
}

func gzipped(content []byte) []byte {
	return through(func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) })(content)
}

func zstded(content []byte) []byte {
	w := must(zstd.NewWriter(nil))
	defer func() { must(0, w.Close()) }()
	return w.EncodeAll(content, nil)
}

func zipFile(stored bool) func(name, other string, content []byte) []byte {
	return func(name, other string, content []byte) []byte {
		return zipped(part{other, "The log of the edge.\n", stored}, part{name, string(content), stored})
	}
}

func tarFile(name, other string, content []byte) []byte {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, p := range []part{{name: other, content: "The log of the edge.\n"}, {name: name, content: string(content)}} {
		must(0, w.WriteHeader(&tar.Header{Name: p.name, Mode: 0o644, Size: int64(len(p.content)), Format: tar.FormatUSTAR}))
		must(w.Write([]byte(p.content)))
	}
	must(0, w.Close())
	return out.Bytes()
}

func cpioFile(name, other string, content []byte) []byte {
	var out strings.Builder
	entry := func(n int, name, content string) {
		head := fmt.Sprintf("070701%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X",
			n, 0o100644, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(name)+1, 0)
		out.WriteString(head + name + "\x00" + strings.Repeat("\x00", -(len(head)+len(name)+1)&3))
		out.WriteString(content + strings.Repeat("\x00", -len(content)&3))
	}
	entry(1, other, "The log of the edge.\n")
	entry(2, name, string(content))
	entry(0, "TRAILER!!!", "")
	return []byte(out.String())
}

func arFile(content []byte) []byte {
	return fmt.Appendf(nil, "!<arch>\n%-16s%-12d%-6d%-6d%-8o%-10d`\n%s%s", "berlin.jsonl/", 0, 0, 0, 0o100644,
		len(content), content,
		strings.Repeat("\n", len(content)&1))
}

// splitInto cuts a file into three parts, as split -b does.
func splitInto(write func(Log) Files, name string) func(Log) Files {
	return func(l Log) Files {
		files := Files{}
		for _, content := range write(l) {
			size := len(content)/3 + 1
			for i := 0; len(content) > 0; i++ {
				n := min(size, len(content))
				files[name+"a"+string(rune('a'+i))] = content[:n]
				content = content[n:]
			}
		}
		return files
	}
}
