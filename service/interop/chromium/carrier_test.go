package chromium

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/svc-edge/svc-verify/internal/must"
)

// window is an answer with audit events.
type window struct {
	Events []map[string]any `json:"events"`
	Head   map[string]any   `json:"head"`
	Rest   map[string]any   `json:"-"`
}

// carrier is between the console and the cloud.
type carrier struct {
	next http.RoundTripper

	mu     sync.Mutex
	alter  func(*window)   // of an answer with audit events; nil for as it came
	hold   <-chan struct{} // answers with audit events wait for it
	narrow int             // how many events are requested; 0 for as many as the page wants
	label  string          // the tenant's label; empty for as it came
	page   int             // how many older events are requested; 0 for as many as the page wants
	asOf   string          // the time of the overview; empty for as it came
	more   []any           // rotations that the overview shows in addition to the real ones
	garble garble          // of every answer to a GET; nil for as it came
}

// garble makes another answer of one: its status, media type and content. If cut is true, the
// connection ends before the content does.
type garble func(path, content string) (status int, kind, other string, cut bool)

// set changes the carrier's behaviour from the next call on.
func (c *carrier) set(change func(*carrier)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change(c)
}

// RoundTrip carries a call.
func (c *carrier) RoundTrip(r *http.Request) (*http.Response, error) {
	c.mu.Lock()
	alter, hold, narrow, page, label, asOf, more := c.alter, c.hold, c.narrow, c.page, c.label, c.asOf, c.more
	garble := c.garble
	c.mu.Unlock()
	if garble != nil && r.Method == http.MethodGet {
		return garble.carry(c.next, r)
	}
	if strings.HasSuffix(r.URL.Path, "/overview") && (label != "" || asOf != "" || more != nil) {
		return c.relabel(r, map[string]string{"label": label, "as_of": asOf}, more)
	}
	if !strings.HasSuffix(r.URL.Path, "/audit/events") {
		return c.next.RoundTrip(r)
	}
	if hold != nil {
		<-hold
	}
	if to := r.URL.Query().Get("to"); to != "" {
		if page > 0 {
			r.URL.RawQuery = "to=" + to + "&limit=" + strconv.Itoa(page)
		}
		return c.next.RoundTrip(r)
	}
	if narrow > 0 {
		r.URL.RawQuery = "limit=" + strconv.Itoa(narrow)
	}
	answer, err := c.next.RoundTrip(r)
	if err != nil || alter == nil {
		return answer, err
	}
	return rewrite(answer, alter)
}

// carry carries a call, and garbles its answer.
func (g garble) carry(next http.RoundTripper, r *http.Request) (*http.Response, error) {
	r.Header.Set("Accept-Encoding", "identity")
	answer, err := next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(answer.Body)
	if err := errors.Join(err, answer.Body.Close()); err != nil {
		return nil, err
	}
	status, kind, other, cut := g(r.URL.Path, string(content))
	answer.StatusCode, answer.Body = status, io.NopCloser(strings.NewReader(other))
	answer.ContentLength = int64(len(other))
	if cut {
		answer.ContentLength++
	}
	answer.Header = http.Header{"Content-Type": {kind}, "Content-Length": {strconv.FormatInt(answer.ContentLength, 10)}}
	return answer, nil
}

// relabel carries a call of the overview, and answers with other members, if
// there are any, and more rotations.
func (c *carrier) relabel(r *http.Request, members map[string]string, more []any) (*http.Response, error) {
	answer, err := c.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	overview, err := decode(answer)
	if err != nil {
		return nil, err
	}
	for name, value := range members {
		if value != "" {
			overview[name] = value
		}
	}
	overview["rotations"] = append(overview["rotations"].([]any), more...)
	return answer, replace(answer, overview)
}

// decode reads the document of an answer.
func decode(answer *http.Response) (map[string]any, error) {
	b, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, err
	}
	if err := answer.Body.Close(); err != nil {
		return nil, err
	}
	var document map[string]any
	decoder := json.NewDecoder(bytes.NewReader(b))
	decoder.UseNumber()
	return document, decoder.Decode(&document)
}

// replace gives an answer another document.
func replace(answer *http.Response, document map[string]any) error {
	b, err := json.Marshal(document)
	answer.Body, answer.ContentLength = io.NopCloser(bytes.NewReader(b)), int64(len(b))
	answer.Header.Set("Content-Length", strconv.Itoa(len(b)))
	return err
}

func rewrite(answer *http.Response, alter func(*window)) (*http.Response, error) {
	document, err := decode(answer)
	if err != nil {
		return nil, err
	}
	w := window{Rest: document}
	for _, e := range w.Rest["events"].([]any) {
		w.Events = append(w.Events, e.(map[string]any))
	}
	w.Head = w.Rest["head"].(map[string]any)
	alter(&w)
	w.Rest["events"], w.Rest["head"] = w.Events, w.Head
	if w.Events == nil {
		w.Rest["events"] = []any{}
	}
	return answer, replace(answer, w.Rest)
}

// troubles are a browser's complaints, and the addresses that it requested.
type troubles struct {
	mu       sync.Mutex
	messages []string
	asked    []string
}

// watch records everything that the page does wrong.
func watch(v *view) *troubles {
	w := &troubles{}
	must.Do(v.t, chromedp.Listen(v.ctx, func(event any) {
		w.mu.Lock()
		defer w.mu.Unlock()
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			w.messages = append(w.messages, e.ExceptionDetails.Text)
		case *log.EventEntryAdded:
			w.messages = append(w.messages, e.Entry.Text)
		case *network.EventRequestWillBeSent:
			w.asked = append(w.asked, e.Request.URL)
		}
	}))
	call(v, log.Enable, cdp.Empty{})
	call(v, network.Enable, network.EnableParams{})
	call(v, runtime.Enable, cdp.Empty{})
	return w
}

// allowDownloads lets the page save files to the tab's folder.
func (x *tab) allowDownloads() {
	x.t.Helper()
	allow := browser.SetDownloadBehaviorParams{Behavior: browser.SetDownloadBehaviorBehaviorAllow,
		DownloadPath: x.downloads}
	must.Get(chromedp.CallBrowser(x.ctx, browser.SetDownloadBehavior, allow))(x.t)
}
