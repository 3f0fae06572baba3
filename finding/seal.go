package finding

// The codes of seals of archives, of their proofs, and of the keys that sign them
// (SPEC 16).
const (
	SealKeyUnknown    Code = "seal-key.unknown"
	SealKeyNotValid   Code = "seal-key.not-valid"
	SealSignature     Code = "seal-signature.invalid"
	SealSpelling      Code = "seal.spelling"
	SealRoot          Code = "seal.root"
	SealRun           Code = "seal.run-unknown"
	SealLedger        Code = "seal-ledger.altered"
	LeavesMalformed   Code = "seal-leaves.malformed"
	LeavesOther       Code = "seal-leaves.other"
	ProofNotIncluded  Code = "seal-proof.not-included"
	ObjectOther       Code = "seal-object.other"
	ObjectAltered     Code = "seal-object.altered"
	ObjectMissing     Code = "seal-object.missing"
	ObjectAdded       Code = "seal-object.added"
	ObjectUnreadable  Code = "seal-object.unreadable"
	ObjectNotAccepted Code = "seal-object.not-accepted"
)

var seals = NewRegistry([]Entry{
	{Code: SealKeyUnknown, Spec: "16.3",
		Sentence: "the seal is by keys that are not pinned",
		Arises: "The file of --seal-trust has no pair of keys with both digests that the statement names. A pair " +
			"of one known and one other key is not known.",
		Explanations: []string{"The signer made a new key, and the file was collected before."},
		Next: "Collect the public keys from their owner, never from the seal, and compare the fingerprint: " +
			"svc-verify archive public."},
	{Code: SealKeyNotValid, Spec: "16.4",
		Sentence:     "the seal was made outside the time for which its keys are trusted",
		Arises:       "The time that the seal claims is before valid_from or not before valid_until of the pinned keys.",
		Explanations: []string{"The signer's clock was wrong."},
		Next: "Ask the owner of the keys when they were in use. Change the file of --seal-trust only if it was " +
			"wrong."},
	{Code: SealSignature, Spec: "16.3",
		Sentence: "not both signatures hold",
		Arises: "The statement was changed after it was signed, or someone without both private keys signed it. One " +
			"signature that holds counts for nothing.",
		Next: sealAgain},
	{Code: SealSpelling, Spec: "16.6",
		Sentence: "the document is not in its one spelling",
		Arises: "Seals, proofs and leaves are canonical JSON, with one line feed after it. This one was written by " +
			"another program, or changed.",
		Next: sealAgain},
	{Code: SealRoot, Spec: "16.9", Subject: Source,
		Sentence: "the archive is not the one that was sealed",
		Arises: "The objects of the folder give another root. Without the list of leaves, nothing shows which of " +
			"them differ.",
		Next: "Give the list of leaves with --leaves: it names the objects."},
	{Code: SealRun, Spec: "16.9", Subject: Source,
		Sentence: "the ledger does not descend from the run that was sealed",
		Arises: "No run of the ledger's chain has the digest that the seal names: the ledger was put back to an " +
			"earlier state, was made anew, or is that of another archive.",
		Next: "Find the ledger that was used for the seal, and compare: svc-verify archive log."},
	{Code: SealLedger, Spec: "16.9", Subject: Source,
		Sentence: "the ledger was altered, so that its chain of runs shows nothing",
		Arises: "Under your key its rows are not as svc-verify wrote them, or a record does not continue the one " +
			"before.",
		Next: "Find an unchanged copy of the ledger. The seal and the archive do not need it."},
	{Code: LeavesMalformed, Spec: "16.5", Subject: Source,
		Sentence: "the list of leaves has not its form",
		Arises:   "A line was cut, changed, doubled or moved. The list is not signed; the seal still counts.",
		Next:     leavesAgain},
	{Code: LeavesOther, Spec: "16.5", Subject: Source,
		Sentence: "the list has not the leaves that were sealed",
		Arises:   "The list is that of another seal, or was changed. It is not signed; the seal still counts.",
		Next:     leavesAgain},
	{Code: ProofNotIncluded, Spec: "16.7",
		Sentence: "the proof does not lead to the sealed root",
		Arises:   "Path, size, digest, index or a hash of the proof was changed, or it is the proof of another seal.",
		Next:     "Have the proof made again from the seal and its list of leaves: svc-verify archive prove."},
	{Code: ObjectOther, Spec: "16.8",
		Sentence: "the file is not the object that was sealed",
		Arises:   "Its size or its digest is another one: it was changed after it was sealed, or it is another object.",
		Next:     "Compare the file with another copy of the archive."},
	{Code: ObjectAltered, Spec: "16.9", Subject: Source,
		Sentence: "an object has other octets than were sealed",
		Arises: "The object was written again, edited or damaged. Whether the new octets are good evidence, the " +
			"seal cannot say.",
		Next: "Put the object back from another copy of the archive."},
	{Code: ObjectMissing, Spec: "16.9", Subject: Source,
		Sentence: "a sealed object is not there",
		Arises:   "The object was removed or renamed. A renamed one is also listed as added.",
		Next:     "Put the object back from another copy of the archive."},
	{Code: ObjectAdded, Spec: "16.9", Subject: Source,
		Sentence:     "an object is there that was not sealed",
		Arises:       "The object came into the folder after the seal, or under another name.",
		Explanations: []string{"The archive grew. A new seal covers it."},
		Next:         "Seal the archive again, or move what does not belong there."},
	{Code: ObjectUnreadable, Severity: Medium, Effect: LeavesOpen, Subject: Source, Spec: "16.9",
		Sentence: "an object could not be read",
		Arises:   "It is a link or no regular file, may not be read, or the disk has an error there.",
		Next:     "Give a copy that can be read."},
	{Code: ObjectNotAccepted, Spec: "16.8", Subject: Source,
		Sentence: "an object is not as the ledger has it",
		Arises: "A seal says that the archive is as its ledger has it. This object is not in the ledger, is " +
			"missing, or has other octets, or something is wrong with it that was not accepted.",
		Next: "svc-verify archive check, then svc-verify archive status; put the object right or accept it, and " +
			"seal again."},
})

const (
	sealAgain   = "Take the file as its signer gave it, byte for byte."
	leavesAgain = "Take the list as it was made with the seal. It can be made again from an unchanged archive."
)

// The codes of faults of the file of --seal-trust.
const (
	SealTrustWeak      Code = "seal-trust.weak-key"
	SealTrustDuplicate Code = "seal-trust.duplicate-key"
	SealTrustTime      Code = "seal-trust.empty-time"
)

var sealTrust = NewRegistry([]Entry{
	{Code: SealTrustWeak, Spec: "16.4",
		Sentence: "a public key cannot be relied on",
		Arises:   "The key is not the canonical encoding of a key, or an Ed25519 key of small order.",
		Next:     "Collect the key from its owner again."},
	{Code: SealTrustDuplicate, Spec: "16.4",
		Sentence: "a public key occurs twice",
		Arises:   "Two names, or two pairs, have one key. Each key belongs to one pair.",
		Next:     "Remove one, after asking the owner which pair is right."},
	{Code: SealTrustTime, Spec: "16.4",
		Sentence: "a time ends before it begins",
		Arises:   "valid_until is not after valid_from, so that nothing would ever count.",
		Next:     "Ask the owner of the key from when until when it is used."},
})

// OfSeals returns the entries of the codes about seals.
func OfSeals() Registry { return seals }

// OfSealTrust returns the entries of the faults of a file of --seal-trust.
func OfSealTrust() Registry { return sealTrust }
