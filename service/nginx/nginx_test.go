package nginx

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/adapter"
)

// delivered is a delivery to the integration web.
func delivered(t *testing.T, transaction string) adapter.Delivery {
	t.Helper()
	key := must.Get(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	return adapter.Delivery{
		Desired: adapter.Desired{IntegrationID: "web", Kind: "nginx", Revision: 1, Enabled: true}, TransactionID: transaction,
		Certificates: [][]byte{[]byte("a certificate of " + transaction)}, Key: key,
	}
}

// folders lists the content of the integration's folder, links with their targets.
func folders(t *testing.T, n nginx) string {
	t.Helper()
	entries := must.Get(os.ReadDir(filepath.Join(n.directory, "web")))(t)
	var all []string
	for _, e := range entries {
		name := e.Name()
		if target, err := os.Readlink(filepath.Join(n.directory, "web", name)); err == nil {
			name += ">" + target
		}
		all = append(all, name)
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

// Wherever the process ended within a delivery, doing it again comes to the same
// end, and current leads to a whole pair all the time.
func TestNginxDeliveryAgainAfterACrash(t *testing.T) {
	ctx := context.Background()
	for name, crash := range map[string]func(folder string) error{
		"nothing was done":          func(string) error { return nil },
		"the folder only":           func(f string) error { return os.Mkdir(filepath.Join(f, "two"), 0o700) },
		"half a pair":               func(f string) error { return writeHalf(f) },
		"a new file was left":       func(f string) error { return os.WriteFile(filepath.Join(f, ".new-1"), nil, 0o600) },
		"the new link was left":     func(f string) error { return os.Symlink("two", filepath.Join(f, "current.new")) },
		"the new staged was left":   func(f string) error { return os.Symlink("two", filepath.Join(f, "staged.new")) },
		"staged, and not yet known": nil,
		"current, the old one left": nil,
	} {
		n := nginx{t.TempDir()}
		first, second := delivered(t, "one"), delivered(t, "two")
		must.Do(t, n.Check(ctx, first.Desired), n.Stage(ctx, first), n.Promote(ctx, first))
		folder := filepath.Join(n.directory, "web")
		switch {
		case crash != nil:
			must.Do(t, crash(folder))
		case strings.HasPrefix(name, "staged"):
			must.Do(t, n.Stage(ctx, second))
		default:
			must.Do(t, n.Stage(ctx, second), replaceLink(filepath.Join(folder, currentLink), "two"))
		}
		must.Do(t, n.Check(ctx, first.Desired), n.Stage(ctx, second), readCurrent(folder))
		must.Do(t, n.Promote(ctx, second), n.Promote(ctx, second), n.Check(ctx, first.Desired))
		got := strings.ReplaceAll(folders(t, n), ".new-1 ", "")
		if name == "current, the old one left" {
			got = strings.ReplaceAll(got, "one ", "")
		}
		check.Equal(t, got, "current>two two", "%s", name)
	}
}

func writeHalf(folder string) error {
	if err := os.Mkdir(filepath.Join(folder, "two"), 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "two", certificateFile), []byte("half"), 0o600)
}

func readCurrent(folder string) error {
	for _, name := range []string{certificateFile, privateKeyFile} {
		if _, err := os.ReadFile(filepath.Join(folder, currentLink, name)); err != nil {
			return err
		}
	}
	return nil
}

// A file that was altered since it was staged is not put in use.
func TestNginxPromotesWhatWasDelivered(t *testing.T) {
	ctx := context.Background()
	for _, name := range []string{certificateFile, privateKeyFile} {
		n := nginx{t.TempDir()}
		first, second := delivered(t, "one"), delivered(t, "two")
		must.Do(t, n.Check(ctx, first.Desired), n.Stage(ctx, first), n.Promote(ctx, first), n.Stage(ctx, second))
		path := filepath.Join(n.directory, "web", "two", name)
		must.Do(t, os.WriteFile(path, []byte("altered"), 0o600))
		check.That(t, n.Promote(ctx, second) != nil, "%s: it was promoted", name)
		got := folders(t, n)
		check.That(t, strings.Contains(got, "current>one"), "%s: %s", name, got)
		must.Do(t, os.Remove(path))
		check.That(t, n.Promote(ctx, second) != nil, "%s: it was promoted without", name)
	}
}

// A pair in use that is not whole any more shows.
func TestNginxCheck(t *testing.T) {
	ctx := context.Background()
	n, d := nginx{t.TempDir()}, delivered(t, "one")
	must.Do(t, n.Check(ctx, d.Desired), n.Stage(ctx, d), n.Check(ctx, d.Desired), n.Promote(ctx, d),
		n.Check(ctx, d.Desired))
	must.Do(t, os.Remove(filepath.Join(n.directory, "web", "one", privateKeyFile)))
	err := n.Check(ctx, d.Desired)
	check.That(t, adapter.CodeOf(err) == adapter.Unavailable, "without its key: %v", err)
	info, err := os.Stat(filepath.Join(n.directory, "web", "one", certificateFile))
	check.That(t, err == nil &&
		info.Mode().Perm() == 0o600, "%v %v", info, err)
}

// An id under which nothing can be delivered can be withdrawn: else its
// tombstone would stay for ever.
func TestNginxWithdraw(t *testing.T) {
	ctx := context.Background()
	n, d := nginx{t.TempDir()}, delivered(t, "one")
	must.Do(t, n.Check(ctx, d.Desired), n.Stage(ctx, d), n.Withdraw(ctx, d.Desired), n.Withdraw(ctx, d.Desired))
	check.Equal(t, folders(t, n), "one", "after it was withdrawn")
	d.IntegrationID = ".."
	err := n.Check(ctx, d.Desired)
	check.That(t, adapter.CodeOf(err) == adapter.Unavailable, "..: %v", err)
	must.Do(t, n.Withdraw(ctx, d.Desired))
}
