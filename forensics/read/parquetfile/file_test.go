package parquetfile_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/read/parquetfile"
	"github.com/svc-edge/svc-verify/forensics/read/rows"
	"github.com/svc-edge/svc-verify/internal/must"
)

// file is a file of 20 rows that pyarrow 22 wrote; testdata/tables/parquet.py says how.
func file(t testing.TB, name string) []byte {
	t.Helper()
	return must.Get(os.ReadFile(filepath.Join("..", "testdata", "tables", name+".parquet")))(t)
}

// all reads every row of a file, and what is wrong with it.
func all(b []byte, memory int) (found, damage []string, err error) {
	f, err := parquetfile.Open(bytes.NewReader(b), int64(len(b)),
		parquetfile.Limits{Memory: memory, Grow: func(int) error { return nil }})
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	var t rows.Text
	for group := range f.Groups() {
		err = f.Rows(group, &t, func() error {
			found = append(found, string(t.Close()))
			return nil
		}, func(column, what string) error {
			damage = append(damage, column+": "+what)
			return nil
		})
		if err != nil {
			break
		}
	}
	if missing := f.Declared() - int64(len(found)); missing != 0 {
		damage = append(damage, fmt.Sprintf("%d rows", missing))
	}
	return found, damage, err
}

// row is what a row of the files is.
func row(i int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `{"Timestamp":"2026-03-02T09:00:%02d.123456Z"`, i)
	if i != 7 {
		fmt.Fprintf(&b, `,"Body":"body %d \"ü\" \\%s"`, i, strings.Repeat("x", i))
	}
	var raw rows.Text
	raw.Open()
	raw.Name([]byte("raw"))
	raw.Octets([]byte{0xff, byte(i)})
	b.WriteString("," + strings.Trim(string(raw.Close()), "{}"))
	if b.WriteString(`,"LogAttributes":{`); i != 3 {
		fmt.Fprintf(&b, `"x-svc-edge-audit-batch":"%064d","n":"%d"`, i/4, i)
	}
	b.WriteString("}")
	switch i {
	case 1:
	case 2:
		b.WriteString(`,"tags":[]`)
	default:
		fmt.Fprintf(&b, `,"tags":[%d,null,%d]`, i, -i)
	}
	if i != 5 {
		one := fmt.Sprintf(`{"a":[%s],"b":%t}`, strings.Join([]string{"1.5", "2.5"}[:i%3], ","), i%2 == 0)
		fmt.Fprintf(&b, `,"nested":[%s]`, strings.TrimSuffix(strings.Repeat(one+",", i%3), ","))
	}
	switch {
	case i == 6:
	case i%4 == 0:
		b.WriteString(`,"inner":{"x":{}}`)
	default:
		fmt.Fprintf(&b, `,"inner":{"x":{"y":%s}}`, new(big.Int).Mul(big.NewInt(int64(i)), big.NewInt(1e12)))
	}
	fmt.Fprintf(&b, `,"f":%v,"fx":"abc","d":"AACW","same":"always"}`, float64(i)/4)
	return b.String()
}

func TestFiles(t *testing.T) {
	for _, name := range []string{"none", "snappy", "gzip", "zstd", "lz4", "delta", "int96", "old"} {
		got, damage, err := all(file(t, name), 1<<20)
		if err != nil || len(damage) > 0 || len(got) != 20 {
			t.Errorf("%s: %d rows, %q, %v", name, len(got), damage, err)
		}
		for i := range got {
			if want := row(i); got[i] != want {
				t.Errorf("%s, row %d:\n got %s\nwant %s", name, i, got[i], want)
				break
			}
		}
	}
}

// TestDamage: whatever octet of a file is another, all rows come out or something is
// said. With -short it is every other place.
func TestDamage(t *testing.T) {
	step := 1
	if testing.Short() {
		step = 2
	}
	for _, name := range []string{"none", "snappy", "gzip", "delta"} {
		whole := file(t, name)
		lost := 0
		for at := 4; at < len(whole)-8; at += step {
			b := bytes.Clone(whole)
			b[at] ^= 0xff
			got, damage, err := all(b, 1<<20)
			if len(got) < 20 {
				lost++
			}
			if len(got) > 20*8 || len(got) != 20 && len(damage) == 0 && err == nil {
				t.Fatalf("%s, octet %d: %d rows, %q, %v", name, at, len(got), damage, err)
			}
		}
		if lost*step > len(whole)/2 {
			t.Errorf("%s: rows are lost for %d of %d octets", name, lost, len(whole))
		}
	}
}

// TestDamagedColumn: the other columns come out.
func TestDamagedColumn(t *testing.T) {
	whole := file(t, "none")
	b := bytes.Clone(whole)
	at := bytes.Index(b, []byte("body 1 "))
	copy(b[at-4:], bytes.Repeat([]byte{0xff}, 300))
	got, damage, err := all(b, 1<<20)
	if err != nil || len(got) != 20 || len(damage) != 1 || !strings.HasPrefix(damage[0], "Body: ") {
		t.Fatalf("%d rows, %q, %v", len(got), damage, err)
	}
	for i, g := range got {
		_, after, _ := strings.Cut(g, `,"raw"`)
		_, want, _ := strings.Cut(row(i), `,"raw"`)
		if after != want {
			t.Errorf("row %d: %s", i, g)
		}
	}
}

func TestNoRows(t *testing.T) {
	whole := file(t, "none")
	secret := append(bytes.Clone(whole[:len(whole)-4]), "PARE"...)
	damaged := bytes.Clone(whole)
	footer := len(whole) - 8 - int(binary.LittleEndian.Uint32(whole[len(whole)-8:]))
	copy(damaged[footer:], bytes.Repeat([]byte{0xff}, 50))
	for name, c := range map[string]struct {
		b    []byte
		want error
	}{
		"cut":       {whole[:len(whole)-1], parquetfile.ErrNoFooter},
		"short":     {whole[:9], parquetfile.ErrNoFooter},
		"encrypted": {secret, parquetfile.ErrEncrypted},
		"damaged":   {damaged, parquetfile.ErrFooter},
		"too long":  {append(bytes.Clone(whole[:len(whole)-8]), "\xff\xff\xff\x00PAR1"...), parquetfile.ErrNoFooter},
	} {
		if _, _, err := all(c.b, 1<<20); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

// TestMemory: columns that need more than the limit are named.
func TestMemory(t *testing.T) {
	got, damage, err := all(file(t, "none"), 100)
	if err != nil || len(damage) == 0 || len(got) > 20 {
		t.Errorf("%d rows, %q, %v", len(got), damage, err)
	}
}

// counted counts what is read of a file.
type counted struct {
	*bytes.Reader
	read int
}

func (c *counted) ReadAt(p []byte, at int64) (int, error) {
	n, err := c.Reader.ReadAt(p, at)
	c.read += n
	return n, err
}

// TestReadsOnce: each octet is read once, and the headers of pages once more.
func TestReadsOnce(t *testing.T) {
	for _, name := range []string{"none", "snappy", "gzip", "zstd", "lz4", "delta"} {
		b := file(t, name)
		c := &counted{Reader: bytes.NewReader(b)}
		f, err := parquetfile.Open(c, int64(len(b)),
			parquetfile.Limits{Memory: 1 << 20, Grow: func(int) error { return nil }})
		must.Do(t, err)
		var row rows.Text
		for group := range f.Groups() {
			err = errors.Join(err, f.Rows(group, &row, func() error { return nil }, func(string, string) error { return nil }))
		}
		// A header is looked for in a kilobyte, which is not more than its column here.
		if f.Close(); err != nil || c.read > 12*len(b) {
			t.Errorf("%s: %d octets read of %d, %v", name, c.read, len(b), err)
		}
	}
}

// FuzzFile wants that a file makes no more than its limit, and no panic.
func FuzzFile(f *testing.F) {
	for _, name := range []string{"none", "snappy", "gzip", "zstd", "lz4", "delta", "int96", "old"} {
		f.Add(file(f, name))
	}
	errLimit := errors.New("limit")
	f.Fuzz(func(t *testing.T, b []byte) {
		const memory, most = 1 << 16, 1 << 22
		made := 0
		grow := func(n int) error {
			if made += n; made > most {
				return errLimit
			}
			return nil
		}
		file, err := parquetfile.Open(bytes.NewReader(b), int64(len(b)), parquetfile.Limits{Memory: memory, Grow: grow})
		if err != nil {
			return
		}
		defer file.Close()
		var row rows.Text
		for group := range file.Groups() {
			err := file.Rows(group, &row, func() error {
				text := row.Close()
				if len(text) > 8*memory || !bytes.HasPrefix(text, []byte("{")) {
					t.Fatalf("a row of %d octets", len(text))
				}
				return grow(len(text) + 64)
			}, func(string, string) error { return grow(64) })
			if err != nil && !errors.Is(err, errLimit) {
				t.Fatal(err)
			}
		}
	})
}
