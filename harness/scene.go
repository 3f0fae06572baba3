package harness

import (
	"bufio"
	"fmt"
	"io"

	"github.com/svc-edge/svc-verify/harness/seal"
)

// Scene is the evidence of a played history, and the keys to forge it with.
type Scene struct {
	Name        string
	Seed        uint64
	Trust       seal.Object              // the trust file, SPEC 2
	Exports     []Export                 // in the order in which they were made
	Checkpoints []seal.Object            // that nodes witnessed, in the order in which they were made
	Tenant      []seal.Object            // the tenant log; empty if it was streamed
	Journals    map[string][]seal.Object // the nodes' journals, by node id
	Keys        Keys
}

// Export is a bundle that was handed out.
type Export struct {
	TransactionID string
	Bundle        seal.Object
}

// Bundle returns a copy of the transaction's bundle, the newest if it was
// exported more than once, or nil if it never was.
func (s *Scene) Bundle(transactionID string) seal.Object {
	for i := len(s.Exports) - 1; i >= 0; i-- {
		if s.Exports[i].TransactionID == transactionID {
			return seal.CloneObject(s.Exports[i].Bundle)
		}
	}
	return nil
}

// TenantLog returns the spine of the scene's tenant log, from which a forger
// makes paths or a history of his own.
func (s *Scene) TenantLog() *seal.Log {
	return seal.LogOf(Tenant, "tenant/"+Tenant, s.Tenant)
}

// Options vary how a scene is played.
type Options struct {
	// Events is the length of the tenant log of a scene that has no end of its
	// own: 0 is a million for large, and 400 for fleet. The fleet ends with the
	// shift that reaches it.
	Events int

	// TenantLog, if set, is given the lines of the tenant log as they are made,
	// and the scene keeps no copy.
	TenantLog io.Writer
}

// Build plays a scene.
func Build(name string, seed uint64, options Options) (*Scene, error) {
	story, ok := findStory(name)
	if !ok {
		return nil, fmt.Errorf("no scene %q", name)
	}
	if name == "large" && options.Events > 0 && options.Events < leastEvents {
		return nil, fmt.Errorf("scene %s: expected at least %d events, found %d", name, leastEvents, options.Events)
	}
	scene := &Scene{Name: name, Seed: seed, Journals: map[string][]seal.Object{}}
	keep := func(event seal.Object) { scene.Tenant = append(scene.Tenant, event) }
	stream := bufio.NewWriter(options.TenantLog)
	if options.TenantLog != nil {
		keep = func(event seal.Object) { stream.Write(seal.Line(event)) } // Flush reports its error
	}
	w, err := NewWorld(seed, story.settings, keep)
	if err == nil {
		err = w.playOpening()
	}
	if err != nil {
		return nil, fmt.Errorf("scene %s: %w", name, err)
	}
	story.play(w, options)
	if options.TenantLog != nil {
		if err := stream.Flush(); err != nil {
			return nil, fmt.Errorf("scene %s: tenant log: %w", name, err)
		}
	}
	w.close(scene)
	return scene, nil
}

// close puts the world's results into the scene.
func (w *World) close(scene *Scene) {
	scene.Trust = w.Trust()
	scene.Exports, scene.Checkpoints = w.exports, w.checkpoints
	scene.Keys = w.Keys
	for _, n := range w.Nodes {
		scene.Journals[n.ID()] = n.Journal()
	}
}
