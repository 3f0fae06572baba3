package otelcol

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"testing"

	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
)

// batch is the content of one request: lines of one journal.
type batch struct {
	log   string
	id    string
	lines [][]byte
}

// cut cuts a journal into batches as an exporter does (SPEC 9.2).
func cut(t *testing.T, journal []byte, size int) []batch {
	lines := bytes.SplitAfter(journal, []byte("\n"))
	lines = lines[:len(lines)-1]
	var all []batch
	for len(lines) > 0 {
		n := min(size, len(lines))
		log, id := batchID(t, lines[:n])
		all = append(all, batch{log, id, lines[:n]})
		lines = lines[n:]
	}
	return all
}

func batchID(t *testing.T, lines [][]byte) (log, id string) {
	h := sha256.New()
	for i, line := range lines {
		var e struct {
			Hash string
			Body struct {
				LogID string `json:"log_id"`
			}
		}
		do(t, json.Unmarshal(line, &e))
		if i == 0 {
			log = e.Body.LogID
			io.WriteString(h, "svc.audit-batch.v1\x00"+log+"\x00")
		}
		raw := get(hex.DecodeString(e.Hash))(t)
		h.Write(raw)
	}
	return log, hex.EncodeToString(h.Sum(nil))
}

// send sends a batch as OTLP over HTTP, odd numbers as JSON, each third
// compressed: the collector may not care.
func send(client *http.Client, url string, number int, b batch) error {
	request := plogotlp.NewExportRequest()
	records := request.Logs().ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords()
	for _, line := range b.lines {
		records.AppendEmpty().Body().SetStr(string(bytes.TrimSuffix(line, []byte("\n"))))
	}
	kind, marshal := "application/x-protobuf", request.MarshalProto
	if number%2 == 1 {
		kind, marshal = "application/json", request.MarshalJSON
	}
	body, err := marshal()
	if err != nil {
		return err
	}
	if number%3 == 0 {
		body = compress(body)
	}
	r, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", kind)
	r.Header.Set("X-Svc-Edge-Audit-Batch", b.id)
	if number%3 == 0 {
		r.Header.Set("Content-Encoding", "gzip")
	}
	response, err := client.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if answer, _ := io.ReadAll(response.Body); response.StatusCode != http.StatusOK {
		return fmt.Errorf("batch %d: %s: %q", number, response.Status, answer)
	}
	return nil
}

func compress(b []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	w.Write(b)
	w.Close()
	return out.Bytes()
}
