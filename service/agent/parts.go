package agent

import (
	"github.com/svc-edge/svc-verify/harness/eventtype"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/durable"
	"github.com/svc-edge/svc-verify/service/feed"
	"github.com/svc-edge/svc-verify/service/otlp"
)

// openParts opens the feed and the exporter. A node whose trust events are
// subscribed to answers with a key that it signs with: one pin stands for the
// connection and for the events.
func (a *Agent) openParts() error {
	local := a.config.LocalAPI
	if len(local.Subscribers) > 0 && !a.identity.has(local.Identity.Key.Public()) {
		return errForeignKey
	}
	trust, err := feed.New(feed.Config{
		TenantID: a.config.TenantID, NodeID: a.config.NodeID, Store: a.store, Sign: a.sign, Clock: a.clock,
		Subscribers: local.Subscribers,
	})
	if err != nil {
		return err
	}
	a.feed = trust
	if err := a.noteExport(); err != nil || a.config.Export == nil {
		return err
	}
	exporter, err := otlp.New(otlp.Config{
		Export: a.config.Export, TenantID: a.config.TenantID, NodeID: a.config.NodeID,
		Store: a.store, Sign: a.sign, Clock: a.clock, Log: a.log,
	})
	if err != nil {
		return err
	}
	a.exporter = exporter
	return nil
}

// noteExport journals that the export is configured in another way than when it
// was journalled last. A node that never exported says nothing.
func (a *Agent) noteExport() error {
	configuration := seal.Object{"enabled": false}
	if e := a.config.Export; e != nil {
		configuration = seal.Object{
			"enabled": true, "exporter_id": e.ExporterID, "endpoint": e.Endpoint, "batch_size": int64(e.BatchSize),
		}
	}
	before, err := a.store.Get(kindExport, only)
	if err != nil {
		return err
	}
	if seal.Digest(configuration) == seal.Digest(before) || before == nil && a.config.Export == nil {
		return nil
	}
	return a.update(func(tx *durable.Tx) error {
		a.node.Note(eventtype.ExportConfigured, "", configuration)
		return tx.Put(kindExport, only, configuration)
	})
}
