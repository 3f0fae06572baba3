package crosscheck

import (
	"math"
	"slices"

	"github.com/svc-edge/svc-verify/forensics/facts"
)

// Collected is the user's statement on when evidence was collected (SPEC 13.6): a log, or
// everything if LogID is "", at a time or, if At is 0, at the end of the log.
type Collected struct {
	LogID string
	At    int64 // milliseconds since 1970
}

// CollectedLogs returns the ids of the logs that are named.
func CollectedLogs(all []Collected) []string {
	var ids []string
	for _, c := range all {
		if c.LogID != "" {
			ids = append(ids, c.LogID)
		}
	}
	return ids
}

// CollectedUntil returns the time up to which every event of a log must be in the
// evidence, in milliseconds since 1970: 0 for none.
func CollectedUntil(all []Collected, log facts.Log) int64 { return collected(all).atEnd(log) }

// collected is the word of the user on evidence.
type collected []Collected

// slack is how much earlier than the collection an event must be, in milliseconds
// (SPEC 7.13).
const slack = apart / 2

// atEnd returns the time up to which an event of a log must be in the log's own
// journal: every event if the log was collected at its end, 0 for none.
func (all collected) atEnd(log facts.Log) int64 {
	if slices.Contains(all, Collected{LogID: log.LogID}) {
		return math.MaxInt64
	}
	return all.limitOf(log)
}

// limitOf returns the time up to which an event of a log must be in every source of it, 0
// for none.
func (all collected) limitOf(log facts.Log) (limit int64) {
	for _, c := range all {
		if c.At > 0 && (c.LogID == "" || c.LogID == log.LogID) {
			limit = max(limit, c.At-slack)
		}
	}
	return limit
}
