package secretstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/kv"
	"github.com/svc-edge/svc-verify/service/kv/kvtest"
)

// TestClientWithEngine: everything that an engine does is reported to the adapter.
func TestClientWithEngine(t *testing.T) {
	kvtest.Each(t, func(t *testing.T, b kvtest.Backend) {
		r := newEngineRig(t, b, b.Token(t, kv.AdapterRules(b.Mount, testBase)...))
		ctx, admin := t.Context(), kvtest.Admin(t, b)
		expect := func(path string, want seal.Object, version int64, deleted bool) {
			t.Helper()
			o, m, err := r.Read(ctx, path)
			must.That(t, err == nil && reflect.DeepEqual(o, want) && m.Version == version && m.Deleted == deleted &&
				m.Created != "", "%s: found %v, %+v, %v", path, o, m, err)
			if again, err := r.Metadata(ctx, path); err != nil || again != m {
				t.Fatalf("%s: found %+v beside %+v, %v", path, again, m, err)
			}
		}
		for _, path := range []string{"pointer", "generations/slot-000001"} {
			_, _, err := r.Read(ctx, path)
			must.That(t, errors.Is(err, ErrAbsent), "%v", err)
			_, err = r.Metadata(ctx, path)
			must.That(t, errors.Is(err, ErrAbsent), "%v", err)
			for version := int64(1); version <= 3; version++ {
				want := testRecord(fmt.Sprintf("%s \u00e9 \U0001f600 %d\n", path, version))
				m, err := r.Write(ctx, path, version-1, want)
				must.That(t, err == nil && m.Version == version, "%v %v", m, err)
				for _, stale := range []int64{0, version - 1, version + 1} {
					_, err := r.Write(ctx, path, stale, testRecord("stale"))
					must.That(t, errors.Is(err, ErrConflict), "%v %v", stale, err)
				}
				expect(path, want, version, false)
			}
			full := testBase + "/" + path
			admin.Delete(full)
			expect(path, nil, 3, true)
			admin.Undelete(full, 3)
			m, err := r.Metadata(ctx, path)
			must.That(t, err == nil && !m.Deleted, "%v %v", m, err)
			admin.Destroy(full, 3)
			expect(path, nil, 3, true)
			_, status := admin.Write(full, map[string]any{"none": nil, "part": 1.5}, nil)
			must.That(t, status == http.StatusOK, "%v", status)
			expect(path, seal.Object{}, 4, false)
			admin.DeleteMetadata(full)
			_, err = r.Metadata(ctx, path)
			must.That(t, errors.Is(err, ErrAbsent), "%v", err)
		}
	})
}

// TestClientRefused: an engine that refuses a request is neither empty nor in conflict.
func TestClientRefused(t *testing.T) {
	kvtest.Each(t, func(t *testing.T, b kvtest.Backend) {
		adapter := kv.AdapterRules(b.Mount, testBase)
		r := newEngineRig(t, b, b.Token(t, adapter...))
		must.Get(r.Write(t.Context(), "pointer", 0, testRecord("a")))(r)
		refused := func(why string, status int, text string) {
			t.Helper()
			for what, err := range r.all() {
				var refusal *RefusedError
				check.That(t, errors.As(err, &refusal) && refusal.Status == status &&
					strings.Contains(err.Error(), text) && !errors.Is(err, ErrAbsent), "%s: %s: found %v", why, what, err)
			}
		}
		r.put("token", 0o600, b.Token(t, kv.AdapterRules(b.Mount, "edge/others")...))
		refused("a token for another base path", http.StatusForbidden, "permission denied")
		r.put("token", 0o600, "no-such-token-at-all")
		refused("an unknown token", http.StatusForbidden, "permission denied")
		r.put("token", 0o600, b.RootToken)
		r.settings.Mount = "none"
		refused("an unknown mount", http.StatusNotFound, "no handler for route")
		r.settings.Mount = b.Mount
		b.Seal(t)
		refused("sealed", http.StatusServiceUnavailable, "sealed")
		b.Unseal(t)
		_, _, err := r.Read(t.Context(), "pointer")
		check.That(t, err == nil, "%v", err)
	})
}

// TestClientRequests: the requests that the client sends, and that no connection is left open.
func TestClientRequests(t *testing.T) {
	r := newRig(t)
	var seen counter
	r.serve(func(w http.ResponseWriter, q *http.Request) {
		body, _ := io.ReadAll(q.Body)
		h := q.Header
		seen.add(fmt.Sprintf("%s %t %s %s%s%s%s%s%s %s", q.Method, q.Close, q.RequestURI, h["X-Vault-Token"],
			h["X-Vault-Namespace"], h["X-Vault-Request"], h["Accept-Encoding"], h["Content-Type"], h["Cookie"], body))
		w.Header().Set("Set-Cookie", "a=b; Path=/")
		reply(http.StatusOK, writtenText)(w, q)
	})
	call := func() {
		_, _, _ = r.Read(t.Context(), "pointer")
		_, _ = r.Metadata(t.Context(), "generations/slot-000001")
		must.Get(r.Write(t.Context(), "pointer", 0, seal.Object{"b": "<&>", "a": int64(1)}))(r)
	}
	call()
	r.settings.Namespace, r.settings.Mount, r.settings.BasePath = "teams/payments", "k~v-1", "a b/c%2f?d"
	r.put("token", 0o600, "another-token")
	call()
	head := "[" + testToken + "][][true][]"
	other := "[another-token][teams/payments][true][]"
	body := `[application/json][] {"data":{"a":1,"b":"<&>"},"options":{"cas":0}}`
	want := []string{
		"GET true /v1/kv/data/edge/payments/pointer " + head + "[][] ",
		"GET true /v1/kv/metadata/edge/payments/generations/slot-000001 " + head + "[][] ",
		"POST true /v1/kv/data/edge/payments/pointer " + head + body,
		"GET true /v1/k~v-1/data/a%20b/c%252f%3Fd/pointer " + other + "[][] ",
		"GET true /v1/k~v-1/metadata/a%20b/c%252f%3Fd/generations/slot-000001 " + other + "[][] ",
		"POST true /v1/k~v-1/data/a%20b/c%252f%3Fd/pointer " + other + body,
	}
	if found := seen.all(); !reflect.DeepEqual(found, want) {
		t.Errorf("found\n%s\nexpected\n%s", strings.Join(found, "\n"), strings.Join(want, "\n"))
	}
}

// TestClientAnswers: the answers that mean success, absence and conflict, and others that come
// close but mean none of them.
func TestClientAnswers(t *testing.T) {
	const refused, invalid = "refused", "invalid"
	at := func(text, part, other string) string {
		must.That(t, strings.Contains(text, part), "%s is not in %s", part, text)
		return strings.Replace(text, part, other, 1)
	}
	for name, c := range map[string]struct {
		status                int
		document              string
		read, metadata, write string
	}{
		"a record":               {200, readText, "ok", invalid, invalid},
		"metadata":               {200, metadataText, invalid, "ok", invalid},
		"written":                {200, writtenText, invalid, invalid, "ok"},
		"created":                {201, writtenText, invalid, invalid, invalid},
		"no content":             {204, "", invalid, invalid, invalid},
		"absent":                 {404, absentText, "absent", "absent", refused},
		"no route":               {404, `{"errors":["no handler for route"]}`, refused, refused, refused},
		"404 without a list":     {404, `{}`, refused, refused, refused},
		"404 with null":          {404, `{"errors":null}`, refused, refused, refused},
		"400 with an empty list": {400, absentText, refused, refused, refused},
		"deleted":                {404, deletedText, "deleted", refused, refused},
		"destroyed": {404, at(deletedText, `"destroyed":false`, `"destroyed":true`), "deleted", refused,
			refused},
		"deleted, and no version": {404, at(deletedText, `"version":1`, `"version":0`), refused, refused, refused},
		"destroyed, but a success": {200, at(readText, `"destroyed":false`, `"destroyed":true`), invalid, invalid,
			invalid},
		"conflict":                   {400, conflictBody, refused, refused, "conflict"},
		"conflict with another code": {403, conflictBody, refused, refused, refused},
		"check-and-set is required": {400, `{"errors":["check-and-set parameter required for this call"]}`, refused,
			refused, refused},
		"another version written": {200, at(writtenText, `"version":1`, `"version":2`), invalid, invalid, invalid},
		"a version of a fraction": {200, at(writtenText, `"version":1`, `"version":1.5`), invalid, invalid, invalid},
		"a version in quotes":     {200, at(writtenText, `"version":1`, `"version":"1"`), invalid, invalid, invalid},
		"no version":              {200, at(readText, `,"version":1`, ``), invalid, invalid, invalid},
		"no time":                 {200, at(readText, `2026-03-02T09:00:00.123456789Z`, ``), invalid, invalid, invalid},
		"no time of deletion":     {200, at(readText, `"deletion_time":"",`, ``), invalid, invalid, invalid},
		"a time of deletion to come": {200, at(readText, `"deletion_time":""`, `"deletion_time":"9999-01-01T00:00:00Z"`),
			"ok", invalid, invalid},
		"no sign of destruction": {200, at(readText, `"destroyed":false,`, ``), invalid, invalid, invalid},
		"no record":              {200, at(readText, `"data":{"text":"a","n":7},`, ``), invalid, invalid, invalid},
		"a record that is none":  {200, at(readText, `{"text":"a","n":7}`, `[1.5,null]`), "empty", invalid, invalid},
		"a record with a null":   {200, at(readText, `"n":7`, `"n":null`), "empty", invalid, invalid},
		"current, but not there": {200, at(metadataText, `"current_version":1`, `"current_version":2`),
			invalid, invalid, invalid},
		"no current version": {200, at(metadataText, `"current_version":1,`, ``), invalid, invalid, invalid},
		"settings of a path": {200, `{"data":{"current_version":0,"versions":{}}}`, invalid, "absent", invalid},
		"current is deleted": {200, at(metadataText, `"deletion_time":""`, `"deletion_time":"2026-03-02T10:00:00Z"`),
			invalid, "deleted", invalid},
		"current is deleted somewhen": {200, at(metadataText, `"deletion_time":""`, `"deletion_time":"soon"`), invalid,
			invalid, invalid},
		"current is to be deleted": {200, at(metadataText, `"deletion_time":""`, `"deletion_time":"9999-01-01T00:00:00Z"`),
			invalid, "ok", invalid},
		"text behind it": {200, readText + "x", invalid, invalid, invalid},
		"a redirect":     {307, readText, refused, refused, refused},
		"an error":       {500, readText, refused, refused, refused},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.serve(reply(c.status, c.document))
			o, m, err := r.Read(t.Context(), "pointer")
			if found := outcomeOf(m, err); found != c.read && !(c.read == "empty" && found == "ok" && o != nil && len(o) == 0) {
				t.Errorf("read: expected %s, found %s, %v, %v", c.read, found, o, err)
			}
			check.Equal(t, o == nil, c.read != "ok" && c.read != "empty", "read: found %v", o)
			m, err = r.Metadata(t.Context(), "pointer")
			check.Equal(t, outcomeOf(m, err), c.metadata, "metadata, %v", err)
			m, err = r.Write(t.Context(), "pointer", 0, testRecord("a"))
			check.Equal(t, outcomeOf(m, err), c.write, "write, %v", err)
		})
	}
}

// outcomeOf returns the outcome, in a word.
func outcomeOf(m Metadata, err error) string {
	var refusal *RefusedError
	switch {
	case errors.As(err, &refusal):
		return "refused"
	case errors.Is(err, ErrAbsent):
		return "absent"
	case errors.Is(err, ErrConflict):
		return "conflict"
	case err != nil:
		return "invalid"
	case m.Version != 1 || !strings.HasPrefix(m.Created, "2026-03-02T09:00:00"):
		return "another version"
	case m.Deleted:
		return "deleted"
	}
	return "ok"
}

// TestClientMediaType: only JSON is an answer of the engine.
func TestClientMediaType(t *testing.T) {
	for kind, want := range map[string]string{
		"application/json": "ok", "application/json; charset=utf-8": "ok", "APPLICATION/JSON": "ok",
		"text/html": "invalid", "": "invalid", "application/json-seq": "invalid", "application/json; x": "invalid",
	} {
		r := newRig(t)
		status, document := http.StatusOK, readText
		r.serve(func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Content-Type"] = []string{kind}
			w.WriteHeader(status)
			_, _ = io.WriteString(w, document)
		})
		_, m, err := r.Read(t.Context(), "pointer")
		check.Equal(t, outcomeOf(m, err), want, "%s, %v", kind, err)
		status, document = http.StatusNotFound, absentText
		if _, _, err := r.Read(t.Context(), "pointer"); errors.Is(err, ErrAbsent) != (want == "ok") {
			t.Errorf("%s: found %v", kind, err)
		}
	}
}

// TestClientContext: a caller's context that has ended shows in the error, and the
// request's own time does not look like it.
func TestClientContext(t *testing.T) {
	r := newRig(t)
	ctx, cancel := context.WithCancel(t.Context())
	r.serve(func(_ http.ResponseWriter, q *http.Request) {
		cancel()
		hold(q)
	})
	_, _, err := r.Read(ctx, "pointer")
	check.That(t, errors.Is(err, context.Canceled), "%v", err)
}
