// Package read turns whatever an exporter or a store has left into records: the
// exact bytes of each log record's body, its place, the batch ids that stand
// with it, and how much its way through the store may have changed it. What
// could not be read comes out too, with its place: one bad file or line never
// stops the rest, and never vanishes.
//
// The format of an input is told from its content, never from its name. See
// [Read] for one stream, and the constants of [Format] for what is known.
package read
