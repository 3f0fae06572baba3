package ingest

import (
	"context"
	"io"

	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/read"
)

// Again reads a source that was ingested once more, under the same options, and hands
// each event and its place to take. The line is valid during the call. An error is
// one of take or of r, or means that ctx was done.
func Again(ctx context.Context, r io.Reader, options read.Options, take func(read.Place, *event.Line) error) error {
	source := newCounted(r)
	c := newCollector(source, func(raw *rawChunk) error {
		defer raw.releaseMemory()
		chunk := scanChunk(raw)
		for i := range chunk.Events {
			a := &chunk.Events[i]
			at := read.Place{Container: chunk.Containers[a.Container].Path, Offset: a.Offset, Length: a.Length, Index: a.Record}
			if err := take(at, a.Line); err != nil {
				return err
			}
		}
		return nil
	})
	if err := read.Read(ctx, source.readerAgain(), options, c); err != nil {
		return err
	}
	defer func() { c.chunk.releaseMemory() }()
	return c.endChunk()
}
