package finding

import "slices"

var registry = NewRegistry(events, chains, anchors, statements, sources)

// StatusUnwanted is the code of a genuine bundle whose status is not the one that the
// user asks for (SPEC 8.23). Package verify has it too and explains it.
const StatusUnwanted Code = "status.unwanted"

// asked has what only the user's question makes a finding: no tampering leads to it.
var asked = NewRegistry([]Entry{{Code: StatusUnwanted, Severity: High, Subject: Source, Spec: "8.23",
	Sentence: "the proof is genuine, but {found}", Contrast: "the status {expected} was asked for", Next: inspect}})

// OfQuestions returns the entries of findings that only the user's question makes.
func OfQuestions() Registry { return asked }

// Lookup returns the entry of a code of a finding about whole logs, or about what was
// asked of a bundle in the evidence.
func Lookup(code Code) (Entry, bool) {
	if entry, ok := asked.Lookup(code); ok {
		return entry, true
	}
	return registry.Lookup(code)
}

// Codes returns the entries of all findings about whole logs.
func Codes() Registry { return slices.Clone(registry) }

// All returns every registry. No code is in two of them.
func All() []Registry {
	return []Registry{registry, asked, bundles, archives, histories, seals, sealTrust, sealLimits, tokens,
		tokenLimitations}
}

// What to do next, which several findings share.
const (
	show       = "svc-verify show --case FILE --log {log} --sequence {sequence}: the event, its copies and where they are"
	around     = "svc-verify events --case FILE --log {log} --sequence {sequence}..{last}: the events themselves"
	gaps       = "svc-verify gaps --case FILE --log {log}: every gap of the log, and what may explain it"
	deliveries = "svc-verify events --case FILE --log {log}: the events in their order, and how often each came"
	batches    = "svc-verify batches --case FILE: every batch id, its events and its deliveries"
	cross      = "svc-verify crosscheck --case FILE --trust TRUST: every piece of evidence against the others"
	others     = "svc-verify ingest --case FILE PATH: give the other sources too, and walk again"
	inspect    = "svc-verify --evidence BUNDLE --trust TRUST --output text: every check of the bundle"
	pin        = "svc-verify trust explain TRUST: what is pinned; " +
		"collect the missing key from its holder, never from the evidence"
	stolen = "svc-verify events --case FILE --log {log}: what the log does hold; " +
		"ask the owner of the log, and take its key for stolen until it is found"
	approvals = "svc-verify ingest --case FILE PATH: add the bundle that has the approval, and walk again"
	ingest    = "svc-verify ingest --case FILE PATH: add what is missing, from the node itself if need be"
	reread    = "svc-verify ingest --case FILE PATH: give an undamaged copy of the source as well"

	explained = "svc-verify ingest --explain PATH: what it seems to be, and what would read it"
)

// What may explain several findings.
var (
	rotated    = []string{"The key was rotated, or the node enrolled, after the trust file was collected."}
	transports = []string{
		"A collector on the way dropped records: a partial success, a full queue, a request that was too large, " +
			"or a record above a store's limit.",
		"The export was cut by its query: a limit, a time window or a preview.",
		"Retention removed the events: a rotated file, a time to live.",
	}
	live = []string{
		"The source was copied while it was being written.",
		"The writer was stopped in the middle of a record.",
	}
	cut = []string{"The copy of the source broke off.", "The disk was full, or the writer crashed."}
)
