package layout

import (
	"slices"
	"strings"
)

// axis is one thing in which layouts differ.
type axis int

const (
	collectors axis = iota // the destination of the exports
	format
	folders
	rotation
	retries
	services
	packing
	second // another store
	journals
	order // in which things were copied

	axes
)

// The choices that the laying asks for by name. The first one of an axis is the
// plainest.
const (
	oneCollector  = "one collector"
	byTurns       = "two collectors by turns"
	byNode        = "three collectors by node"
	partitions    = "four partitions of a topic"
	noCollector   = "no collector"
	flat          = "one folder"
	daily         = "a folder a day"
	hourly        = "a folder a day and an hour"
	keyed         = "folders of keys"
	dated         = "a file an hour"
	notRotated    = "not rotated"
	numbered      = "rotated by number"
	bySize        = "rotated by size"
	once          = "sent once"
	atOnce        = "retried at once"
	afterMidnight = "retried after midnight"
	elsewhere     = "retried at the other collector"
	alone         = "nothing else in the files"
	mixed         = "other services in the same files"
	halfCollected = "other services and half a record at the end"
	plain         = "plain files"
	gzipped       = "every file in gzip"
	tarball       = "a tar.gz of the store"
	tarred        = "a tar of the store"
	noSecond      = "one store"
	replica       = "a second store with the same"
	retention     = "a second store with the newest third"
	olderStore    = "an older copy of the store"
	wholeJournals = "journals"
	noJournals    = "no journals"
	olderJournals = "journals and older copies of them"
	halfJournals  = "journals that end in half a line"
	together      = "copied together"
	anchorsFirst  = "anchors copied before logs"
	logsFirst     = "logs copied before anchors"
	objectsFormat = "s3-json-gzip"
	framesFormat  = "file-proto"
	defaultFormat = "file-json"
	kafkaFormat   = "kafka-json"
	lokiFormat    = "loki-jsonl"
	elasticFormat = "elastic-otel"
	clickFormat   = "clickhouse-rows"
	splunkFormat  = "splunk-hec"
)

// choices are the choices of every axis.
var choices = [axes][]string{
	collectors: {oneCollector, byTurns, byNode, partitions, noCollector},
	format: {defaultFormat, framesFormat, kafkaFormat, lokiFormat, elasticFormat, clickFormat, splunkFormat,
		objectsFormat},
	folders:  {flat, daily, hourly, keyed, dated},
	rotation: {notRotated, numbered, bySize},
	retries:  {once, atOnce, afterMidnight, elsewhere},
	services: {alone, mixed, halfCollected},
	packing:  {plain, gzipped, tarball, tarred},
	second:   {noSecond, replica, retention, olderStore},
	journals: {wholeJournals, noJournals, olderJournals, halfJournals},
	order:    {together, anchorsFirst, logsFirst},
}

// plan is a choice of every axis.
type plan [axes]string

func (p plan) String() string {
	if p[collectors] == noCollector {
		return strings.Join([]string{noCollector, p[journals], p[order]}, ", ")
	}
	return strings.Join(p[:], ", ")
}

// isPossible reports whether evidence can be laid out so. Without a collector
// there is nothing to choose but how the journals are kept.
func (p plan) isPossible() bool {
	if p[collectors] != noCollector {
		return true
	}
	for a := format; a < journals; a++ {
		if p[a] != choices[a][0] {
			return false
		}
	}
	return p[journals] != noJournals
}

// pair is two choices.
type pair struct {
	a, b axis
	x, y string
}

// choicePairs are the pairs of choices of a plan.
func (p plan) choicePairs() []pair {
	var all []pair
	for a := range axes {
		for b := a + 1; b < axes; b++ {
			all = append(all, pair{a, b, p[a], p[b]})
		}
	}
	return all
}

// pairwisePlans returns plans that have every pair of choices between them: again and
// again one that has the first pair that is missing, and otherwise on each axis
// the choice with the most pairs that are missing.
func pairwisePlans() []plan {
	missing := missingPairs()
	var all []plan
	for _, first := range slices.Clone(missing) {
		if !slices.Contains(missing, first) {
			continue
		}
		p := completePlan(first, missing)
		for _, has := range p.choicePairs() {
			missing = slices.DeleteFunc(missing, func(m pair) bool { return m == has })
		}
		all = append(all, p)
	}
	return all
}

// missingPairs are all pairs that some possible plan has.
func missingPairs() []pair {
	var all []pair
	for a := range axes {
		for b := a + 1; b < axes; b++ {
			for _, x := range choices[a] {
				for _, y := range choices[b] {
					p := plainestPlan()
					if p[a], p[b] = x, y; p.isPossible() {
						all = append(all, pair{a, b, x, y})
					}
				}
			}
		}
	}
	return all
}

// plainestPlan is the plan of the first choices.
func plainestPlan() (p plan) {
	for a := range axes {
		p[a] = choices[a][0]
	}
	return p
}

// completePlan makes a plan that has a pair.
func completePlan(with pair, missing []pair) plan {
	p := plainestPlan()
	p[with.a], p[with.b] = with.x, with.y
	for a := range axes {
		if a == with.a || a == with.b {
			continue
		}
		best, most := p[a], -1
		for _, choice := range choices[a] {
			q := p
			q[a] = choice
			if n := q.countMissing(missing); q.isPossible() && n > most {
				best, most = choice, n
			}
		}
		p[a] = best
	}
	return p
}

// countMissing counts the pairs of a plan that are missing.
func (p plan) countMissing(missing []pair) int {
	n := 0
	for _, m := range missing {
		if p[m.a] == m.x && p[m.b] == m.y {
			n++
		}
	}
	return n
}
