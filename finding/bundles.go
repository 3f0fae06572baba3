package finding

// The codes of contradictions between two proven bundles that no walk has
// (SPEC 14). The others are IssuedTwice, RevocationWithheld and SplitView.
const (
	SerialReused       Code = "certificate.serial-reused"
	ChainContradiction Code = "chain.contradiction"
)

var bundles = NewRegistry([]Entry{
	{Code: SerialReused, Spec: "14.2",
		Sentence: "two certificates of one issuer key have one serial",
		Arises: "Two bundles verify, and their certificates have the same issuer key and the same serial. " +
			"Revoking one of them by its serial revokes the other too, and a relying party cannot tell them apart.",
		Explanations: []string{"The issuer lost its state, or draws serials from too little randomness."},
		Next:         contradict},
	{Code: ChainContradiction, Spec: "14.2",
		Sentence: "two bundles prove two hashes for one event of a log",
		Arises: "Two bundles verify, and their ways lead to different hashes of one event. " +
			"The log's owner signed both: it has two histories, or a link in one of the bundles is false.",
		Next: contradict},
})

// contradict is what to do about two bundles that contradict each other.
const contradict = "svc-verify contradiction FILE --trust TRUST: who signed both sides. " +
	"Keep both bundles unchanged: together they are the proof."

// OfBundles returns the entries of the codes that only two bundles together have.
func OfBundles() Registry { return bundles }
