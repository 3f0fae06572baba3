package finding

// The codes of what an answer about a seal leaves open: what was not examined, and
// what is not proven (SPEC 16.10).
const (
	SealArchiveNotRead   Code = "seal-archive-not-read"
	SealLeavesNotRead    Code = "seal-leaves-not-read"
	SealLedgerNotRead    Code = "seal-ledger-not-read"
	SealTimeClaimed      Code = "seal-time-claimed"
	SealEvidenceNotAsked Code = "seal-evidence-not-verified"
	SealKeyHolder        Code = "seal-key-holder-not-shown"
	SealOthersNotRead    Code = "seal-other-objects-not-read"
)

var sealLimits = Registry{
	{Code: SealArchiveNotRead, Spec: "16.10",
		Sentence: "No object was read: whether the archive is still as it was sealed is open.",
		Arises:   "No folder was given, or the seal itself did not verify.",
		Next:     "Give the folder: svc-verify archive verify-seal --seal-trust FILE SEAL DIR."},
	{Code: SealLeavesNotRead, Spec: "16.10",
		Sentence: "No list of leaves was read: nothing shows which objects were sealed.",
		Arises:   "There is no list beside the seal, none was given, or the seal itself did not verify.",
		Next:     "Give the list with --leaves."},
	{Code: SealLedgerNotRead, Spec: "16.10",
		Sentence: "No ledger was read: whether it descends from the sealed run is open.",
		Arises:   "No ledger was given, or the seal itself did not verify.",
		Next:     "Give the ledger with --ledger."},
	{Code: SealOthersNotRead, Spec: "16.10",
		Sentence: "One file was read, and no other object of the archive.",
		Arises:   "A proof is about one object.",
		Next:     "Verify the whole archive: svc-verify archive verify-seal --seal-trust FILE SEAL DIR."},
	{Code: SealTimeClaimed, Spec: "16.10",
		Sentence: "When it was sealed is the signer's word. The two signatures show who sealed; without a time-stamp " +
			"token this convinces only those who trust the signer about the time.",
		Arises: "A signature shows nothing about time.",
		Next:   "Have a time-stamping authority confirm the time: svc-verify archive renew."},
	{Code: SealEvidenceNotAsked, Spec: "16.10",
		Sentence: "The objects were compared, and not verified. A seal shows that octets are unchanged, not that " +
			"they are genuine evidence.",
		Arises: "A seal is over octets of any kind.",
		Next:   "Verify the evidence under a trust file that the seal names: svc-verify archive check, or --evidence."},
	{Code: SealKeyHolder, Spec: "16.10",
		Sentence: "Both private keys were used. Nothing shows by whom: their owner, or a thief of both.",
		Arises:   "A signature shows that a key was used, and not by whom.",
		Next:     "Ask the owner of the keys whether the seal is theirs."},
}

// OfSealLimits returns the entries of what an answer about a seal leaves open.
func OfSealLimits() Registry { return sealLimits }
