package partview_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/cases"
	"github.com/svc-edge/svc-verify/forensics/examine"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/harness/tamper"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

var (
	signature = regexp.MustCompile(`"signature":"[^"]*"`)
	sequence  = regexp.MustCompile(`"sequence":\d+,"tenant_id"`)
)

// otherwise returns an event under another signature.
func otherwise(line []byte, chance *rand.Rand) []byte {
	var b [64]byte
	for i := range b {
		b[i] = byte(chance.Uint32())
	}
	return signature.ReplaceAll(line, []byte(`"signature":"`+base64.RawURLEncoding.EncodeToString(b[:])+`"`))
}

// TestCrowd: a view of evidence with crowds of copies, and with sequences far above
// all others, answers as a case does.
func TestCrowd(t *testing.T) {
	e := cases.Evidence(t, fleet.Scene)
	chance := rand.New(rand.NewPCG(1, 2))
	files := map[string]fleet.File{}
	for name, f := range e.Files {
		if strings.HasPrefix(name, "journals/mesh-") && (len(files) == 0 || !testing.Short()) {
			files[name] = f
		}
	}
	must.That(t, len(files) > 0, "journals are not among %v", slices.Sorted(maps.Keys(e.Files)))
	var strays [][]byte
	for _, name := range slices.Sorted(maps.Keys(files)) {
		content := must.Get(e.Content(name))(t)
		lines := bytes.SplitAfter(content, []byte("\n"))
		for i, crowd := range []int{0, 300, 3, 70, 64, 63, 1} {
			if i+12 >= len(lines) {
				break
			}
			for range crowd {
				strays = append(strays, otherwise(lines[i+8], chance))
			}
		}
		for i, n := range []uint64{1 << 40, 1<<53 - 1, 1<<40 + 1, 1 << 52} {
			far := sequence.ReplaceAll(lines[min(i, len(lines)-1)], fmt.Appendf(nil, `"sequence":%d,"tenant_id"`, n))
			strays = append(strays, far, otherwise(far, chance), otherwise(far, chance))
		}
	}
	chance.Shuffle(len(strays), func(i, j int) { strays[i], strays[j] = strays[j], strays[i] })
	files["strays.ndjson"] = fleet.Bytes(bytes.Join(strays, nil))
	rows := strings.Join(sameAnswers(t, files, cases.Root(t, e)), "\n")
	for _, want := range []string{" 9007199254740991 ", ",300,301]", ",64,65]", ",63,64]"} {
		check.That(t, strings.Contains(rows, want), "no row has %q", want)
	}
}

// appendTo makes a file another one.
func appendTo(dir, name string) error {
	f, err := os.OpenFile(filepath.Join(dir, filepath.FromSlash(name)), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString("\n")
	return errors.Join(err, f.Close())
}

// TestLost: whether a transport lost something is found out from the sources, and said
// not to be known where these are gone.
func TestLost(t *testing.T) {
	scripts := []string{"lose-octet", "lose-octet-and-alter"}
	if testing.Short() {
		scripts = scripts[:1]
	}
	for _, name := range scripts {
		t.Run(name, func(t *testing.T) {
			s, _ := tamper.Lookup(name)
			whole := cases.Evidence(t, fleet.Scene)
			e, damage := must.Two(s.Apply(whole))(t)
			root, files := cases.Root(t, e), given(whole, e, damage)
			sameAnswers(t, files, root)
			dir := t.TempDir()
			must.Do(t, (&fleet.Evidence{Files: files}).Write(dir))
			v := viewOf(t, []string{dir}, root)
			for name := range files {
				must.Do(t, appendTo(dir, name))
			}
			r := must.Get(examine.Of(t.Context(), v, root, examine.Options{}))(t)
			check.That(t, slices.ContainsFunc(r.LeftOut, func(l verdict.LeftOut) bool { return l.What == verdict.Sources }),
				"left out are %v, want the sources that are not what they were", r.LeftOut)
		})
	}
}
