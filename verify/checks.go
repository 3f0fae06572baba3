package verify

import (
	"crypto/sha256"
	"strconv"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/trust"
)

// CheckID names a check of the list. Names are never changed or reused.
type CheckID string

// The checks, in the order of SPEC 8.
const (
	BundleWellFormed       CheckID = "bundle.well-formed"
	BundleOneSubject       CheckID = "bundle.one-subject"
	SignaturesValid        CheckID = "signatures.valid"
	CheckpointWitnessed    CheckID = "checkpoint.witnessed"
	PathProven             CheckID = "path.proven"
	EventsDisclosed        CheckID = "events.disclosed"
	ManifestCommitted      CheckID = "manifest.committed"
	ManifestComplete       CheckID = "manifest.complete"
	TermsEqual             CheckID = "terms.equal"
	ApprovalsQuorum        CheckID = "approvals.quorum"
	DecisionsAgree         CheckID = "decisions.agree"
	CapabilityBound        CheckID = "capability.bound"
	RegistryPinned         CheckID = "registry.pinned"
	SignerAuthorised       CheckID = "signer.authorised"
	ReceiptBound           CheckID = "receipt.bound"
	CertificateIdentified  CheckID = "certificate.identified"
	CertificateConstrained CheckID = "certificate.constrained"
	CertificateIssued      CheckID = "certificate.issued"
	StatusBound            CheckID = "status.bound"
	RevocationComplete     CheckID = "revocation.complete"
	TimesOrdered           CheckID = "times.ordered"
)

// checkList is the list that the verdict is computed over.
var checkList = []struct {
	id      CheckID
	spec    string
	title   string
	defects []Defect
}{
	{BundleWellFormed, "8.1", "the bundle has the form of the specification", formDefects},
	{BundleOneSubject, "8.2", "one tenant, transaction and log throughout", subjectDefects},
	{SignaturesValid, "8.3", "every signature is by a pinned key of its role", signatureDefects},
	{CheckpointWitnessed, "8.4", "a quorum of nodes witnessed this checkpoint", witnessDefects},
	{PathProven, "8.5", "the hash-chain path is unbroken", pathDefects},
	{EventsDisclosed, "8.6", "the log records the issuance, and nothing else is shown", eventDefects},
	{ManifestCommitted, "8.7", "the log commits to this manifest", committedDefects},
	{ManifestComplete, "8.8", "the manifest names every part", partDefects},
	{TermsEqual, "8.9", "everyone agreed to the same terms", termsDefects},
	{ApprovalsQuorum, "8.10", "a quorum of nodes approved", approvalDefects},
	{DecisionsAgree, "8.11", "both trust domains allowed it", decisionDefects},
	{CapabilityBound, "8.12", "the capability evidence is what was relied on", capabilityDefects},
	{RegistryPinned, "8.13", "the signer registry is the pinned one", registryDefects},
	{SignerAuthorised, "8.14", "the registry lets this signer issue", signerDefects},
	{ReceiptBound, "8.15", "the signer acted on these decisions", receiptDefects},
	{CertificateIdentified, "8.16", "the certificate is the one of the receipt", identityDefects},
	{CertificateConstrained, "8.17", "the certificate has no power beyond the terms", powerDefects},
	{CertificateIssued, "8.18", "the issuer signed the certificate", issuerDefects},
	{StatusBound, "8.19", "the status is of this checkpoint", statusDefects},
	{RevocationComplete, "8.20", "revocation is shown whole or not at all", revocationDefects},
	{TimesOrdered, "8.21", "every step came in time", timeDefects},
}

// wellFormed is SPEC 8.1. It examines every value of the document, and hands
// the bundle on where all its parts could be read.
func (r *run) wellFormed(n *notes, in *bundle.Input) *bundle.Bundle {
	n.examined = in.Values
	for _, f := range in.Faults {
		n.findings = append(n.findings, newFinding(Code(f.Code), f.Pointer, f.Want, f.Got))
	}
	if !in.Empty() {
		n.failed = len(in.Faults)
		n.examined = max(n.examined, n.failed)
	}
	if in.Bundle == nil {
		n.withhold()
	}
	return in.Bundle
}

// pinned is which pinned keys opened what.
type pinned struct {
	witnesses []trust.Key
	approvers []trust.Key
}

// signaturesValid is SPEC 8.3. It hands on the keys of the witnesses and
// approvers whose signatures held: a quorum counts those and no others.
func (r *run) signaturesValid(n *notes, b *bundle.Bundle) pinned {
	open(r, n, b.Checkpoint)
	open(r, n, b.Status)
	keys := pinned{witnesses: openAll(r, n, b.Witnesses), approvers: openAll(r, n, b.Approvals)}
	open(r, n, b.Customer)
	open(r, n, b.Service)
	openAll(r, n, b.Capability)
	open(r, n, b.Receipt)
	if b.Revocation != nil {
		open(r, n, *b.Revocation)
	}
	for _, l := range b.Path {
		if l.Event != nil {
			open(r, n, *l.Event)
		}
	}
	return keys
}

// open examines one envelope.
func open[T trust.Statement](r *run, n *notes, s trust.Sealed[T]) (trust.Key, bool) {
	opened, refusal := trust.Open(r.root, s)
	opens := refusal == nil
	if opens {
		refusal = &trust.Refusal{}
	}
	return opened.Key, n.expect(opens, Code(refusal.Code), refusal.Pointer, refusal.Want, refusal.Got)
}

// openAll examines a list of envelopes and returns the keys of those that held.
func openAll[T trust.Statement](r *run, n *notes, list []trust.Sealed[T]) []trust.Key {
	var keys []trust.Key
	for _, s := range list {
		if key, ok := open(r, n, s); ok {
			keys = append(keys, key)
		}
	}
	return keys
}

func digestOf(b []byte) bundle.Hash { return sha256.Sum256(b) }

func hexOf(d [sha256.Size]byte) string { return bundle.Hash(d).String() }

func number[T ~int | ~int64 | ~uint64](v T) string { return strconv.FormatInt(int64(v), 10) }
