package fleet

import (
	"strings"

	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// Scene is the name of the scene that a fleet usually plays.
const Scene = "fleet"

// The paths of the evidence other than the stores.
const (
	TrustFile   = "trust.json"
	TenantLog   = "tenant.ndjson"
	Checkpoints = "checkpoints.ndjson"
)

// Journal is the path of a node's journal.
func Journal(nodeID string) string { return "journals/" + nodeID + ".ndjson" }

// Cursors is the path of a node's export cursors.
func Cursors(nodeID string) string { return "cursors/" + nodeID + ".ndjson" }

// Bundle is the path of the proof of a transaction.
func Bundle(transactionID string) string { return "bundles/svc-evidence-" + transactionID + ".json" }

// Build plays a scene, exports the journals and dumps the stores. The tenant log of the usual
// scene ends soon after the given number of events, 400 if it is 0. The same scene, seed and
// length give the same bytes.
func Build(name string, number uint64, events int) (*Evidence, error) {
	scene, err := harness.Build(name, number, harness.Options{Events: events})
	if err != nil {
		return nil, err
	}
	e := &Evidence{Scene: scene, Files: map[string]File{}, Batches: Export(scene, longestBatch)}
	e.addScene()
	e.addStores(deliverBatches(e.Batches, chance.New(number).Stream("collector")))
	return e, nil
}

// addScene adds the files of the scene, the checkpoints and the cursors.
func (e *Evidence) addScene() {
	for name, content := range e.Scene.Files() {
		if strings.HasPrefix(name, "svc-evidence-") {
			name = "bundles/" + name
		}
		e.Files[name] = Bytes(content)
	}
	e.Files[Checkpoints] = Bytes(seal.Lines(e.Scene.Checkpoints))
	cursors := map[string][]seal.Object{}
	for _, b := range e.Batches {
		cursors[b.Node] = append(cursors[b.Node], b.Cursor)
	}
	for nodeID, all := range cursors {
		e.Files[Cursors(nodeID)] = Bytes(seal.Lines(all))
	}
}
