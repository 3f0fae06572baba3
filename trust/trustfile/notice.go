package trustfile

import (
	"slices"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/trust"
)

// Warning is the severity of a notice about something that is almost certainly a
// mistake. The other severity is [finding.Info], for what is possibly intended. A
// file without warnings is fit for use.
const Warning finding.Severity = "warning"

// The codes of notices.
const (
	KnownKey          finding.Code = "trust.known-key"
	QuorumUnreachable finding.Code = "trust.quorum-unreachable"
	QuorumZero        finding.Code = "trust.quorum-zero"
	SplitViewPossible finding.Code = "trust.split-view-possible"
	SingleNode        finding.Code = "trust.single-node"
	SeveralKeys       finding.Code = "trust.several-keys"
	FirstKeyMissing   finding.Code = "trust.first-key-missing"
	PinOfNothing      finding.Code = "trust.pin-of-nothing"
	RegistryGap       finding.Code = "trust.registry-gap"
	KeyOfTwoTenants   finding.Code = "trust.key-of-two-tenants"
)

// Notices returns the entries of all notices. In a sentence, {found} stands for
// what was found.
func Notices() []finding.Entry { return slices.Clone(registry) }

// Faults returns the entries of the faults that only a trust file has.
func Faults() []finding.Entry { return slices.Clone(faults) }

const (
	fromOwners = "Collect the keys from their owners again, over a channel that an attacker does not control, " +
		"and compare fingerprints."
	pinAgain = "Mend the trust file from keys that were collected independently (svc-verify trust init), " +
		"and compare fingerprints."
)

var faults = finding.NewRegistry([]finding.Entry{
	{Code: trust.WeakKey, Spec: "2.2", Sentence: "{path}",
		Arises: "A key is not a canonical point of the curve, or of small order: " +
			"signatures for it can be made without a private key.",
		Next: pinAgain},
	{Code: trust.DuplicateKey, Spec: "2.2", Sentence: "{path}",
		Arises: "One public key stands in the file twice: under two names it would count twice, " +
			"in two roles it could sign what it should only witness.",
		Next: pinAgain},
})

var registry = finding.Registry{
	{Code: KnownKey, Severity: Warning, Spec: "2.2", Sentence: "the key is {found}: its private half is public",
		Arises: "The key was copied from a test, an example or a demonstration. Anyone can sign with it.",
		Next:   fromOwners},
	{Code: QuorumUnreachable, Severity: Warning, Spec: "5.3",
		Sentence: "minimum_audit_witnesses can never be met: {found}",
		Arises:   "More witnesses are demanded than there are nodes in the file, so no bundle can verify.",
		Next:     "Lower the minimum, or add the missing nodes."},
	{Code: QuorumZero, Severity: Warning, Spec: "5.4", Sentence: "no witness is demanded: {found}",
		Arises: "Legacy checkpoints count, and only the audit key vouches for those.",
		Next: "Use this file only for evidence from before witnessing, with --legacy-before. " +
			"Use another file with 1 or more for all other evidence."},
	{Code: SplitViewPossible, Severity: Warning, Spec: "5.3",
		Sentence: "two halves of the fleet could honestly witness two histories: {found}",
		Arises:   "Twice the quorum is not above the number of nodes.",
		Next:     "Raise minimum_audit_witnesses above half the number of nodes."},
	{Code: SingleNode, Severity: Warning, Spec: "5.3", Sentence: "{found}",
		Arises: "One node approves and witnesses alone, so the holder of its key is the whole fleet.",
		Next:   "Add the other nodes, if there are any."},
	{Code: SeveralKeys, Severity: finding.Info, Spec: "2.3", Sentence: "{found}",
		Arises: "Every key in the file counts, retired keys included. " +
			"The holder of a retired key can still sign evidence that verifies.",
		Next: "Keep a retired key only while evidence made with it must be verified, " +
			"and only if its private half was destroyed."},
	{Code: FirstKeyMissing, Severity: finding.Info, Spec: "2.3", Sentence: "{found}",
		Arises: "Evidence made with an earlier key of the node does not verify with this file.",
		Next:   "Add the earlier key if such evidence must be verified."},
	{Code: PinOfNothing, Severity: Warning, Spec: "2.1", Sentence: "the pin is the digest of {found}",
		Arises: "No registry has this digest: the pin was made from an empty file, or is a placeholder.",
		Next:   "Compute the pin from the registry itself: svc-verify trust init."},
	{Code: RegistryGap, Severity: finding.Info, Spec: "2.1", Sentence: "{found}",
		Arises: "Evidence that names an unpinned generation does not verify with this file.",
		Next:   "Pin the missing generations if evidence of their time must be verified."},
	{Code: KeyOfTwoTenants, Severity: Warning, Spec: "2.3",
		Sentence: "the node key is in the other tenant's trust file too, as {found}",
		Arises: "A node serves two tenants with one key. The holder of an audit key of one tenant " +
			"can use statements that the node signed for the other.",
		Next: "Have the node enrol with a separate key for each tenant, and remove the old key from both files."},
}
