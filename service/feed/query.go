package feed

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/httpd"
	"github.com/svc-edge/svc-verify/service/topic"
)

// maxWait is the longest poll in seconds.
const maxWait = 60

// query is what an observer asks for.
type query struct {
	fromOldest bool   // there was no cursor
	after      uint64 // the last event that was looked at
	topics     []string
	wait       time.Duration
}

// wants reports whether an event has a requested topic.
func (q *query) wants(event seal.Object) bool {
	return q.topics == nil || slices.Contains(q.topics, seal.Text(seal.Member(event, "statement"), "topic"))
}

var errExpired = httpd.Refuse(http.StatusGone, "cursor_expired",
	"the events after the cursor are no longer all kept, or it is not of this node")

// parse reads the parameters of a call. Others are refused, and so is one that
// stands twice.
func (f *Feed) parse(c *httpd.Call) (q query, err error) {
	parameters, err := url.ParseQuery(c.URL.RawQuery)
	if err != nil {
		return q, httpd.Invalid("the query cannot be read")
	}
	for name, values := range parameters {
		switch {
		case len(values) != 1:
			err = httpd.Invalid("%s: expected it once", strconv.QuoteToASCII(name))
		case name == "cursor":
			q.after, err = f.parseCursor(values[0])
		case name == "topics":
			q.topics, err = parseTopics(values[0])
		case name != "wait_seconds":
			err = httpd.Invalid("expected cursor, topics or wait_seconds, found %s", strconv.QuoteToASCII(name))
		}
		if err != nil {
			return q, err
		}
	}
	q.fromOldest = !parameters.Has("cursor")
	seconds, err := c.Number("wait_seconds", 0, maxWait, 0)
	q.wait = time.Duration(seconds) * time.Second
	return q, err
}

// cursor writes a cursor: the node, and the last event that was looked at.
func cursor(nodeID string, sequence uint64) string {
	return fmt.Sprintf("%s.%d", nodeID, sequence)
}

// maxSequence is the largest sequence, SPEC 1.4.
const maxSequence = 1<<53 - 1

// parseCursor reads a cursor in the one form in which it is written. One of
// another node has nothing to go on with here.
func (f *Feed) parseCursor(text string) (uint64, error) {
	dot := strings.LastIndexByte(text, '.')
	if dot < 1 {
		return 0, httpd.Invalid("cursor: expected <node id>.<sequence>")
	}
	n, err := strconv.ParseUint(text[dot+1:], 10, 64)
	if err != nil || n > maxSequence || cursor(text[:dot], n) != text {
		return 0, httpd.Invalid("cursor: expected <node id>.<sequence>")
	}
	if text[:dot] != f.NodeID {
		return 0, errExpired
	}
	return n, nil
}

func parseTopics(text string) ([]string, error) {
	topics := strings.Split(text, ",")
	for i, about := range topics {
		if !topic.Known(about) || slices.Contains(topics[:i], about) {
			return nil, httpd.Invalid("topics: expected some of %s, each once", strings.Join(topic.All(), ","))
		}
	}
	return topics, nil
}
