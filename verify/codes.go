package verify

import (
	"slices"
	"strconv"
	"strings"

	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/trust"
)

// Code names a defect, as <thing>.<defect>. Codes are only ever added: one that
// was published is never renamed, removed or given another meaning.
type Code string

// The codes of findings, beside those of form (json.*, form.*) and of
// signatures (signature.*), which the packages that find them name.
const (
	OtherTenant      Code = "subject.other-tenant"
	OtherTransaction Code = "subject.other-transaction"
	OtherLog         Code = "subject.other-log"
	NotAskedFor      Code = "subject.not-asked-for"

	OtherCheckpoint   Code = "witness.other-checkpoint"
	OtherHead         Code = "witness.other-head"
	WitnessQuorum     Code = "witness.under-quorum"
	LegacyNotAdmitted Code = "checkpoint.legacy-not-admitted"
	LegacyTooLate     Code = "checkpoint.legacy-too-late"

	RecordedHash     Code = "path.recorded-hash"
	PathWrongStep    Code = "path.wrong-step"
	PathHashMismatch Code = "path.hash-mismatch"
	PathConflict     Code = "path.conflict"
	PathEndsEarly    Code = "path.ends-early"
	PathTrailing     Code = "path.trailing"

	EventMissing    Code = "event.missing"
	EventRepeated   Code = "event.repeated"
	EventUnexpected Code = "event.unexpected"
	EventOrder      Code = "event.out-of-order"

	ManifestNotCommitted Code = "manifest.not-committed"
	PartDiffers          Code = "manifest.part-differs"
	PartMissing          Code = "manifest.part-missing"
	PartUnnamed          Code = "manifest.part-unnamed"

	TermsDiffer Code = "terms.differ"

	ApprovalDenied Code = "approval.denied"
	ApprovalQuorum Code = "approval.under-quorum"

	DecisionDenied        Code = "decision.denied"
	DecisionNotByApprover Code = "decision.not-by-approver"
	DecisionApprovals     Code = "decision.other-approvals"

	EvidenceOtherWorkload Code = "capability.other-workload"
	EvidenceNotAsListed   Code = "capability.not-as-listed"
	EvidenceNotAsReliedOn Code = "capability.not-as-relied-on"

	RegistryNotPinned  Code = "registry.not-pinned"
	RegistryDiffers    Code = "registry.differs"
	RegistryUnnamed    Code = "registry.unnamed"
	RegistryMissing    Code = "registry.missing"
	RegistryGeneration Code = "registry.other-generation"

	SignerNotRegistered Code = "signer.not-registered"
	SignerKeyDiffers    Code = "signer.key-differs"
	SignerAlgorithm     Code = "signer.algorithm-not-allowed"
	SignerIssuer        Code = "signer.issuer-not-allowed"

	ReceiptOtherDecision Code = "receipt.other-decision"

	CertificateDiffers   Code = "certificate.differs"
	SerialDiffers        Code = "certificate.serial-differs"
	ValidityDiffers      Code = "certificate.validity-differs"
	LifetimeDiffers      Code = "certificate.lifetime-differs"
	NotBeforeOutOfWindow Code = "certificate.not-before-out-of-window"
	SubjectKeyDiffers    Code = "certificate.key-differs"
	AlgorithmDiffers     Code = "certificate.algorithm-differs"

	CertificateVersion   Code = "certificate.version"
	CertificateIsCA      Code = "certificate.is-ca"
	CertificateKeyUsage  Code = "certificate.key-usage-not-allowed"
	CertificateUsages    Code = "certificate.usages-differ"
	CertificateNames     Code = "certificate.names-differ"
	CertificateSubject   Code = "certificate.subject-not-allowed"
	CertificateExtension Code = "certificate.extension-not-allowed"

	IssuerNameDiffers Code = "issuer.name-differs"
	IssuerNotCA       Code = "issuer.not-a-ca"
	IssuerKeyWeak     Code = "issuer.weak-key"
	IssuerSignature   Code = "issuer.signature-invalid"

	StatusOtherManifest   Code = "status.other-manifest"
	StatusOtherCheckpoint Code = "status.other-checkpoint"

	RevocationIncomplete       Code = "revocation.incomplete"
	RevocationOtherReceipt     Code = "revocation.other-receipt"
	RevocationOtherCertificate Code = "revocation.other-certificate"

	TimeOutOfOrder   Code = "time.out-of-order"
	TimeExpired      Code = "time.expired"
	TimeRecordedLate Code = "time.recorded-late"

	NothingShown Code = "verdict.nothing-shown"
)

// Entry is what is known of a code beforehand: the check that finds it, the
// section of the specification, the sentence with {path}, {expected} and
// {found} in it, how it comes about, and what to do next.
type Entry struct {
	Code     Code
	Check    CheckID
	Spec     string
	Sentence string
	Arises   string
	Next     string
}

// Lookup returns the registry's entry of a code.
func Lookup(code Code) (Entry, bool) {
	i := slices.IndexFunc(registryOfCodes, func(e Entry) bool { return e.Code == code })
	if i < 0 {
		return Entry{}, false
	}
	return registryOfCodes[i], true
}

// Codes returns the whole registry in the order of the check list.
func Codes() []Entry { return slices.Clone(registryOfCodes) }

func newFinding(code Code, path, expected, found string) Finding {
	return Finding{Code: code, Path: path, Expected: expected, Found: found}
}

// Sentence says in words what the finding says in data. Text of the evidence in
// it is quoted and cut.
func (f Finding) Sentence() string {
	entry, ok := Lookup(f.Code)
	if !ok {
		entry.Sentence = "{path}: expected {expected}, found {found}"
	}
	path := f.Path
	if path == "" {
		path = "the document"
	}
	return strings.NewReplacer("{path}", quoted(path), "{expected}", quoted(f.Expected), "{found}", quoted(f.Found)).Replace(entry.Sentence)
}

// quoted returns printable ASCII as it is, and anything else escaped.
func quoted(s string) string {
	const most = 400
	if len(s) > most {
		s = s[:most] + "..."
	}
	q := strconv.QuoteToASCII(s)
	if q[1:len(q)-1] == s {
		return s
	}
	return strings.ReplaceAll(q[1:len(q)-1], `\"`, `"`)
}

const (
	rebuild = "Export the bundle again from the service. If it comes out the same, report it to the service's operator with both files' digests."
	suspect = "Treat the bundle as forged or damaged until its origin is known. Keep it unchanged, with the digests that the report shows."
	askNode = "Ask the node's operator whether that node really signed this, and compare with the node's own journal."
	pinOnly = "Compare the trust file with keys and pins collected independently (svc-verify trust fingerprint). Never copy a key out of a bundle."
)

var registryOfCodes = []Entry{
	{Code(ijson.CodeEmpty), BundleWellFormed, "8.1", "{path} is empty: there is nothing to check", "The file has no bytes, or only white space.", "Export the bundle again."},
	{Code(ijson.CodeSyntax), BundleWellFormed, "1.1", "{path}: expected {expected}, found {found}", "The file is not JSON: cut off, edited by hand, or not a bundle at all.", rebuild},
	{Code(ijson.CodeSize), BundleWellFormed, "1.6", "{path}: expected {expected}, found {found}", "The file is larger than any document may be.", suspect},
	{Code(ijson.CodeBOM), BundleWellFormed, "1.1", "{path} starts with a byte order mark: expected {expected}, found {found}", "An editor or a shell rewrote the file.", "Take the file as it was exported, byte for byte."},
	{Code(ijson.CodeDuplicateMember), BundleWellFormed, "1.1", "{path} stands twice: expected {expected}, found {found}", "Two readers could see two different values: the mark of an attack on parsers.", suspect},
	{Code(ijson.CodeInvalidUTF8), BundleWellFormed, "1.1", "{path}: expected {expected}, found {found}", "The bytes are not UTF-8: damaged, or converted.", "Take the file as it was exported, byte for byte."},
	{Code(ijson.CodeSurrogate), BundleWellFormed, "1.1", "{path}: expected {expected}, found {found}", "Half a character is escaped: two readers could see different text.", suspect},
	{Code(ijson.CodeNoncharacter), BundleWellFormed, "1.1", "{path}: expected {expected}, found {found}", "A code point that is no character stands in a string.", suspect},
	{Code(ijson.CodeNumber), BundleWellFormed, "1.4", "{path}: expected {expected}, found {found}", "The number is not a plain integer that every reader reads alike.", rebuild},
	{Code(ijson.CodeNull), BundleWellFormed, "1.1", "{path} is null: expected {expected}, found {found}", "The formats have no null.", rebuild},
	{Code(ijson.CodeDepth), BundleWellFormed, "1.6", "{path}: expected {expected}, found {found}", "The document nests deeper than any bundle does.", suspect},
	{Code(ijson.CodeTrailingData), BundleWellFormed, "1.1", "{path} is followed by more: expected {expected}, found {found}", "Two files were joined, or something was appended.", rebuild},
	{form.UnknownMember, BundleWellFormed, "1.2", "{path} is unknown: expected {expected}, found {found}", "Something was added that no signature covers, or the bundle is of a later version of the format.", suspect},
	{form.MissingMember, BundleWellFormed, "1.2", "{path} lacks a member: expected {expected}, found {found}", "The bundle is incomplete, or a name is misspelt: names match exactly.", rebuild},
	{form.WrongType, BundleWellFormed, "1.2", "{path}: expected {expected}, found {found}", "A value has another type than the format says.", rebuild},
	{form.BadValue, BundleWellFormed, "1.5", "{path}: expected {expected}, found {found}", "A value does not have its one exact form.", rebuild},
	{form.UnknownProtocol, BundleWellFormed, "3.3", "{path}: expected {expected}, found {found}", "The statement is of another protocol or version.", "Check that this program is recent enough for the bundle; else treat the bundle as forged."},
	{form.Unordered, BundleWellFormed, "1.7", "{path} is out of order: expected {expected}, found {found}", "A list is not in its one right order.", rebuild},
	{form.Repeated, BundleWellFormed, "1.7", "{path} stands twice: expected {expected}, found {found}", "One node or digest is listed twice, perhaps to count twice.", suspect},
	{form.WrongCount, BundleWellFormed, "1.6", "{path}: expected {expected}, found {found}", "A list is empty or too long.", rebuild},
	{form.TooLarge, BundleWellFormed, "1.6", "{path}: expected {expected}, found {found}", "The document is larger than its limit.", suspect},
	{form.TooDeep, BundleWellFormed, "1.6", "{path}: expected {expected}, found {found}", "The open data of an event nests too deep.", suspect},

	{OtherTenant, BundleOneSubject, "8.2", "{path} is of another tenant: expected {expected}, found {found}", "A statement of another tenant was put into this bundle.", suspect},
	{OtherTransaction, BundleOneSubject, "8.2", "{path} is of another transaction: expected {expected}, found {found}", "A statement of another transaction was put into this bundle.", suspect},
	{OtherLog, BundleOneSubject, "8.2", "{path} is of another log: expected {expected}, found {found}", "The checkpoint, a receipt or an event is of a log that is not the tenant's.", suspect},
	{NotAskedFor, BundleOneSubject, "8.2", "{path} is not what was asked for: expected {expected}, found {found}", "The bundle may be genuine, but is about something else.", "Ask for the bundle of the transaction or certificate in question."},

	{trust.KeyUnknown, SignaturesValid, "8.3", "{path}: expected {expected}, found {found}", "The signer is not pinned for this role: the trust file is incomplete, or someone else signed.", pinOnly},
	{trust.KeyOfOtherNode, SignaturesValid, "8.3", "{path}: expected {expected}, found {found}", "A node's statement is signed with another node's key.", suspect},
	{trust.SignatureInvalid, SignaturesValid, "8.3", "{path}: expected {expected}, found {found}", "The statement was changed after it was signed, or the signature was made for something else.", suspect},

	{OtherCheckpoint, CheckpointWitnessed, "8.4", "{path} is for another checkpoint: expected {expected}, found {found}", "A receipt made for another checkpoint was put in.", suspect},
	{OtherHead, CheckpointWitnessed, "8.4", "{path} is for another head: expected {expected}, found {found}", "The receipt contradicts the checkpoint that it names.", askNode},
	{WitnessQuorum, CheckpointWitnessed, "8.4", "{path}: expected {expected}, found {found}", "Too few nodes witnessed when the bundle was exported, or receipts were removed.", "Export the bundle again while enough nodes are connected."},
	{LegacyNotAdmitted, CheckpointWitnessed, "5.4", "{path}: expected {expected}, found {found}", "The checkpoint is of the protocol from before witnessing.", "Only for evidence that is really that old, set minimum_audit_witnesses to 0 in a trust file of its own, and give --legacy-before."},
	{LegacyTooLate, CheckpointWitnessed, "5.4", "{path}: expected {expected}, found {found}", "A legacy checkpoint was made after witnessing had begun.", suspect},

	{RecordedHash, PathProven, "8.5", "{path} is not the event's hash: expected {expected}, found {found}", "The event or its recorded hash was changed.", suspect},
	{PathWrongStep, PathProven, "8.5", "{path} is not the next link of the way: expected sequence {expected}, found {found}", "A link was removed, added, repeated or moved.", suspect},
	{PathHashMismatch, PathProven, "8.5", "{path} does not hash to what the link before it proves: expected {expected}, found {found}", "The link, or an event in the log, was changed.", suspect},
	{PathConflict, PathProven, "8.5", "{path} gives an event a second hash: expected {expected}, found {found}", "The path shows two histories of the log.", suspect},
	{PathEndsEarly, PathProven, "8.5", "{path} ends before the oldest disclosed event: expected sequence {expected}, found {found}", "Links were removed from the end.", rebuild},
	{PathTrailing, PathProven, "8.5", "{path} comes after the end of the way: expected {expected}, found sequence {found}", "Links were appended.", suspect},

	{EventMissing, EventsDisclosed, "8.6", "{path}: expected {expected}, found {found}", "The path shows no issuance of this transaction.", rebuild},
	{EventRepeated, EventsDisclosed, "8.6", "{path} is a second event of its kind: expected {expected}, found another {found}", "The log records the issuance or revocation twice.", "Ask for the full tenant log: one transaction must not be issued twice."},
	{EventUnexpected, EventsDisclosed, "8.6", "{path}: expected {expected}, found {found}", "An event that a bundle must not show was put in.", suspect},
	{EventOrder, EventsDisclosed, "8.6", "{path}: expected {expected}, found {found}", "The log records the revocation before the issuance.", suspect},

	{ManifestNotCommitted, ManifestCommitted, "8.7", "{path} names another manifest: expected {expected}, found {found}", "The log committed to another manifest than the one shown.", suspect},

	{PartDiffers, ManifestComplete, "8.8", "{path} has another digest: expected {expected}, found {found}", "A part was exchanged after the manifest was made.", suspect},
	{PartMissing, ManifestComplete, "8.8", "{path}: expected {expected}, found {found}", "A part that the manifest names was removed.", rebuild},
	{PartUnnamed, ManifestComplete, "8.8", "{path}: expected {expected}, found {found}", "A part was added that the manifest does not name.", suspect},

	{TermsDiffer, TermsEqual, "8.9", "{path} differs from the manifest's terms: expected {expected}, found {found}", "Someone agreed to other terms than those of the manifest.", suspect},

	{ApprovalDenied, ApprovalsQuorum, "8.10", "{path}: expected {expected}, found {found}", "A node refused; a refusal is no approval.", askNode},
	{ApprovalQuorum, ApprovalsQuorum, "8.10", "{path}: expected {expected}, found {found}", "Too few distinct nodes approved.", askNode},

	{DecisionDenied, DecisionsAgree, "8.11", "{path}: expected {expected}, found {found}", "A trust domain refused, and a certificate was issued all the same.", "Treat the certificate as misissued and have it revoked."},
	{DecisionNotByApprover, DecisionsAgree, "8.11", "{path}: expected {expected}, found {found}", "The customer's decision is by a node that did not approve.", askNode},
	{DecisionApprovals, DecisionsAgree, "8.11", "{path}: expected {expected}, found {found}", "The customer's decision rests on other approvals than those shown.", suspect},

	{EvidenceOtherWorkload, CapabilityBound, "8.12", "{path}: expected {expected}, found {found}", "The capability evidence is about another workload.", suspect},
	{EvidenceNotAsListed, CapabilityBound, "8.12", "{path} is not what the manifest lists: expected {expected}, found {found}", "Capability evidence was removed or added.", rebuild},
	{EvidenceNotAsReliedOn, CapabilityBound, "8.12", "{path} is not what was relied on: expected {expected}, found {found}", "The manifest hides or invents capability evidence.", suspect},

	{RegistryNotPinned, RegistryPinned, "8.13", "{path}: expected {expected}, found {found}", "The trust file has no pin for this registry generation.", pinOnly},
	{RegistryDiffers, RegistryPinned, "8.13", "{path} is not the pinned registry: expected {expected}, found {found}", "The registry was changed, or the pin is of another one.", pinOnly},
	{RegistryUnnamed, RegistryPinned, "8.13", "{path}: expected {expected}, found {found}", "A registry was added that no receipt names.", suspect},
	{RegistryMissing, RegistryPinned, "8.13", "{path}: expected {expected}, found none for generation {found}", "The registry that a receipt names was removed.", rebuild},
	{RegistryGeneration, RegistryPinned, "8.13", "{path} is not the receipt's generation: expected {expected}, found {found}", "Manifest and receipt speak of two registries.", suspect},

	{SignerNotRegistered, SignerAuthorised, "8.14", "{path}: expected {expected}, found {found}", "The receipt is by a signer outside the registry.", suspect},
	{SignerKeyDiffers, SignerAuthorised, "8.14", "{path}: expected {expected}, found {found}", "The registry has another key under the signer's id.", pinOnly},
	{SignerAlgorithm, SignerAuthorised, "8.14", "{path}: expected {expected}, found {found}", "The signer was not allowed this algorithm.", suspect},
	{SignerIssuer, SignerAuthorised, "8.14", "{path}: expected {expected}, found {found}", "The signer was not allowed this issuer.", suspect},

	{ReceiptOtherDecision, ReceiptBound, "8.15", "{path} names another decision: expected {expected}, found {found}", "The signer acted on other decisions than those shown.", suspect},

	{CertificateDiffers, CertificateIdentified, "8.16", "{path} is of another certificate: expected {expected}, found {found}", "The certificate was exchanged.", suspect},
	{SerialDiffers, CertificateIdentified, "8.16", "{path}: expected {expected}, found {found}", "The serial is not the certificate's.", suspect},
	{ValidityDiffers, CertificateIdentified, "8.16", "{path}: expected {expected}, found {found}", "The receipt states another validity than the certificate.", suspect},
	{LifetimeDiffers, CertificateIdentified, "8.16", "{path}: expected {expected}, found {found}", "The certificate lives longer or shorter than was agreed.", suspect},
	{NotBeforeOutOfWindow, CertificateIdentified, "8.16", "{path}: expected {expected}, found {found}", "The certificate was back- or post-dated.", suspect},
	{SubjectKeyDiffers, CertificateIdentified, "8.16", "{path} is of another key: expected {expected}, found {found}", "The certificate is for another key than was agreed.", suspect},
	{AlgorithmDiffers, CertificateIdentified, "8.16", "{path}: expected {expected}, found {found}", "The certificate's key is of another kind than was agreed.", suspect},

	{CertificateVersion, CertificateConstrained, "8.17", "{path}: expected {expected}, found {found}", "The certificate is not of X.509 version 3.", suspect},
	{CertificateIsCA, CertificateConstrained, "8.17", "{path}: expected {expected}, found {found}", "The certificate could issue others.", "Treat the certificate as misissued and have it revoked."},
	{CertificateKeyUsage, CertificateConstrained, "8.17", "{path}: expected {expected}, found {found}", "The certificate's key may be used for what nobody agreed to.", suspect},
	{CertificateUsages, CertificateConstrained, "8.17", "{path}: expected the extended key usages {expected}, found {found}", "The certificate has other uses than were agreed.", suspect},
	{CertificateNames, CertificateConstrained, "8.17", "{path}: expected the names {expected}, found {found}", "The certificate has other names than were agreed.", suspect},
	{CertificateSubject, CertificateConstrained, "8.17", "{path}: expected {expected}, found {found}", "The certificate's subject says what nobody agreed to.", suspect},
	{CertificateExtension, CertificateConstrained, "8.17", "{path}: expected {expected}, found {found}", "The certificate has an extension that somebody may read as power that nobody agreed to, or a critical one that this check does not read.", suspect},

	{IssuerNameDiffers, CertificateIssued, "8.18", "{path}: expected {expected}, found {found}", "The certificate names another issuer.", suspect},
	{IssuerNotCA, CertificateIssued, "8.18", "{path}: expected {expected}, found {found}", "The issuing certificate may not issue.", suspect},
	{IssuerKeyWeak, CertificateIssued, "8.18", "{path}: expected {expected}, found {found}", "The issuer's key is of a kind or size that is not accepted.", suspect},
	{IssuerSignature, CertificateIssued, "8.18", "{path}: expected {expected}, found {found}", "The issuer did not sign this certificate, or with a method that is not accepted.", suspect},

	{StatusOtherManifest, StatusBound, "8.19", "{path} is about another manifest: expected {expected}, found {found}", "A status of another issuance was put in.", suspect},
	{StatusOtherCheckpoint, StatusBound, "8.19", "{path} is about another checkpoint: expected {expected}, found {found}", "A status of another time was put in, perhaps to hide a revocation.", suspect},

	{RevocationIncomplete, RevocationComplete, "8.20", "{path}: expected {expected}, found {found}", "Status, revocation receipt and revocation event do not go together: one was removed or added.", suspect},
	{RevocationOtherReceipt, RevocationComplete, "8.20", "{path} names another revocation receipt: expected {expected}, found {found}", "The revocation receipt was exchanged.", suspect},
	{RevocationOtherCertificate, RevocationComplete, "8.20", "{path} is of another certificate: expected {expected}, found {found}", "The revocation is of another certificate.", suspect},

	{TimeOutOfOrder, TimesOrdered, "8.21", "{path} is too early: expected {expected}, found {found}", "A step is dated before one that it needs; or a clock is wrong by more than five minutes.", "Compare the clocks of the parties concerned; else treat the bundle as forged."},
	{TimeExpired, TimesOrdered, "8.21", "{path} is too late: expected {expected}, found {found}", "Something was used after it had expired.", suspect},
	{TimeRecordedLate, TimesOrdered, "8.21", "{path} is too late: expected {expected}, found {found}", "The log records the issuance long after the signer says that it issued, or after an approval expired: the signer dated its receipt back, or the service released what it should have had revoked.",
		"Treat the certificate as misissued and have it revoked."},

	{NothingShown, "", "8", "nothing was shown: expected {expected}, found {found}", "No check failed, but not every check ran.", rebuild},
}
