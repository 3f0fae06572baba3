package otelcol

import (
	"path/filepath"
	"testing"
)

// delivered is the configuration that operators get.
var delivered = filepath.Join("..", "..", "deploy", "collector", "config.yaml")

// TestDeliveredConfig runs a collector with the delivered configuration as it
// is: every event comes out as it went in, and every batch is known by its id,
// also when the collector was stopped in the middle.
func TestDeliveredConfig(t *testing.T) {
	bin := build(t)
	sent := play(t, bin)
	keys, logs, address := t.TempDir(), t.TempDir(), freeAddress(t)
	client := writeKeys(t, keys)
	t.Setenv("COLLECTOR_ADDRESS", address)
	t.Setenv("COLLECTOR_PKI", keys)
	t.Setenv("COLLECTOR_LOGS", logs)
	half := len(sent.batches) / 2
	for _, part := range [][]batch{sent.batches[:half], sent.batches[half:]} {
		stop := start(t, delivered, "")
		url := "https://" + address + "/v1/logs"
		await(t, client, url)
		for i, b := range part {
			do(t, send(client, url, i, b))
		}
		stop()
	}
	checkFiles(t, bin, logs, sent)
}
