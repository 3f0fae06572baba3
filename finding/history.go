package finding

// The codes of the history of a trust file (SPEC 18).
const (
	HistoryMalformed    Code = "trust-history.malformed"
	HistoryOrder        Code = "trust-history.order"
	HistoryTime         Code = "trust-history.time"
	HistoryKeyUnknown   Code = "trust-history.key-unknown"
	HistoryKeyNotValid  Code = "trust-history.key-not-valid"
	HistorySignature    Code = "trust-history.signature-invalid"
	HistoryTrustAltered Code = "trust-history.file-altered"
	HistoryTrustMissing Code = "trust-history.file-missing"
	HistoryEmpty        Code = "trust-history.empty"
	HistoryCut          Code = "trust-history.cut"
	HistoryNotInForce   Code = "trust-history.none-in-force"
	HistoryNotRecorded  Code = "trust-history.not-recorded"
)

const compareHistories = "Compare the history with another copy of it. Put nothing in force that it alone vouches for."

var histories = NewRegistry([]Entry{
	{Code: HistoryMalformed, Spec: "18.2", Sentence: "an entry has not its form",
		Arises: "A line was cut, changed by hand, or is larger than a line can be. Each entry has exactly one " +
			"spelling.",
		Next: compareHistories},
	{Code: HistoryOrder, Spec: "18.3", Sentence: "an entry does not continue the one before it",
		Arises:       "An entry was removed, put in or moved, or two histories were mixed.",
		Explanations: []string{"Two people added to two copies of the history."}, Next: compareHistories},
	{Code: HistoryTime, Spec: "18.3", Sentence: "a version is in force before the one that it follows",
		Arises: "The signer stated a time that is not after that of the version before.", Next: compareHistories},
	{Code: HistoryKeyUnknown, Spec: "18.3", Sentence: "an entry is signed by keys that are not pinned",
		Arises:       "The file of --seal-trust has no pair of keys with both digests that the entry names.",
		Explanations: []string{"The signer made a new key, and the file was collected before."},
		Next: "Collect the public keys from their owner, never from the history, and compare the fingerprint: " +
			"svc-verify archive public."},
	{Code: HistoryKeyNotValid, Spec: "18.3", Sentence: "an entry was signed outside the time for which its keys " +
		"are trusted",
		Arises: "The version is in force from a time that is before valid_from or not before valid_until of the " +
			"pinned keys.",
		Next: "Ask the owner of the keys when they were in use. Change the file of --seal-trust only if it was " +
			"wrong."},
	{Code: HistorySignature, Spec: "18.3", Sentence: "not both signatures of an entry hold",
		Arises: "The entry was changed after it was signed, or someone without both private keys signed it.",
		Next:   compareHistories},
	{Code: HistoryTrustAltered, Spec: "18.4", Sentence: "a kept trust file is not the one that was put in force",
		Arises: "The file in the folder has another digest than the signed entry, or cannot be used as a trust file.",
		Next:   "Put the file back from another copy. The entries before and after it still count."},
	{Code: HistoryTrustMissing, Severity: Medium, Effect: LeavesOpen, Spec: "18.4",
		Sentence: "a trust file that was in force is not in the folder",
		Arises:   "The entry has its digest, so that it can be told from others, and not which keys it pinned.",
		Next:     "Put the file back from another copy."},
	{Code: HistoryEmpty, Severity: Medium, Effect: LeavesOpen, Spec: "18.4", Sentence: "the history has no entry",
		Arises: "Nothing was added to it, or all was removed.", Next: "svc-verify trust history add: the first " +
			"version."},
	{Code: HistoryCut, Spec: "18.4", Sentence: "the history has not the entry that was expected",
		Arises: "No entry has the digest that was kept elsewhere: the history was cut off, put back to an earlier " +
			"state, or is another one.",
		Next: compareHistories},
	{Code: HistoryNotInForce, Severity: Medium, Effect: LeavesOpen, Spec: "18.4",
		Sentence: "no version was in force at the time",
		Arises:   "The time is before that of the first entry.", Next: "Ask who kept the trust file before the " +
			"history."},
	{Code: HistoryNotRecorded, Spec: "18.4", Sentence: "the trust file is no version of the history",
		Arises: "No entry has the digest of the file: it was never put in force, or its octets were changed, if " +
			"only their spelling.",
		Next: "svc-verify trust diff: what differs between the file and a kept version."},
})

// OfHistories returns the entries of the codes of the history of a trust file.
func OfHistories() Registry { return histories }
