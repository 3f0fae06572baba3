package finding

// The codes of time-stamp tokens, and of the chains of tokens over a seal (SPEC 17).
const (
	TokenMalformed    Code = "token.malformed"
	TokenRefused      Code = "token.refused"
	TokenImprint      Code = "token.imprint"
	TokenNonce        Code = "token.nonce"
	TokenSignature    Code = "token.signature"
	TokenAuthority    Code = "token.authority"
	TokenCertificate  Code = "token.certificate" // #nosec G101 -- no credential
	TokenExpired      Code = "token.expired"
	TokenRevoked      Code = "token.revoked"
	TokenUnchecked    Code = "token.revocation-unknown"
	TokenOrder        Code = "token.order"
	EvidenceMalformed Code = "revocation-evidence.malformed"
	ChainMalformed    Code = "renewal.malformed"
	ChainAltered      Code = "renewal.altered"
	ChainData         Code = "renewal.data"
	Retired           Code = "algorithm.retired"
	Unlisted          Code = "algorithm.unlisted"
	SealTooLate       Code = "seal.stamped-too-late"
)

// The codes of what a chain of tokens does not prove, or was not examined for.
const (
	NoToken            Code = "no-token"
	TimeRestsOnToken   Code = "time-rests-on-token"
	ClassicalToken     Code = "token-not-post-quantum"
	AlgorithmsNotGiven Code = "algorithms-not-given"
	DataNotRead        Code = "data-not-read"
	ChainNotJudged     Code = "chain-not-judged"
)

var tokens = NewRegistry([]Entry{
	{Code: TokenMalformed, Spec: "17.3",
		Sentence: "the time-stamp token has not the form that is read",
		Arises: "A token has one reading only: SignedData of version 3 with one signer, in DER, with the attributes " +
			"content-type, message-digest and signing-certificate. Tokens by rare or broken software can differ.",
		Next: again},
	{Code: TokenRefused, Spec: "17.3",
		Sentence: "the authority refused to make a token",
		Arises:   "The answer of the authority has a status other than granted, and no token that counts.",
		Next: "Read what the authority says. It may not know the hash function of the request: " +
			"choose an authority that does."},
	{Code: TokenImprint, Spec: "17.4",
		Sentence: "the token is over something else",
		Arises:   "The digest in the token is not that of the request: it is the answer to another request.",
		Next:     again},
	{Code: TokenNonce, Spec: "17.4",
		Sentence: "the token does not answer this request",
		Arises: "The nonce of the token is not that of the request: an older token was given, or the authority " +
			"omits it.",
		Next: again},
	{Code: TokenSignature, Spec: "17.4",
		Sentence: "a signature of the token does not hold",
		Arises: "The signature of the token, or of a certificate on the way to the authority, does not hold, or " +
			"is by an algorithm that is not believed at all, such as SHA-1.",
		Next: again},
	{Code: TokenAuthority, Spec: "17.4",
		Sentence:     "the token leads to no pinned authority",
		Arises:       "No way leads from the signer of the token to an authority of the file of --seal-trust.",
		Explanations: []string{"A certificate between signer and authority is missing; give it with --certificates."},
		Next:         "Collect the certificate of the authority from the authority, never from the token."},
	{Code: TokenCertificate, Spec: "17.4",
		Sentence: "a certificate may not be used so",
		Arises: "The signer of a token must be for time-stamping and nothing else, in a critical extension, and each " +
			"certificate above it an authority with its constraints kept.",
		Next: "Ask the authority for its present certificates, or choose another authority."},
	{Code: TokenExpired, Spec: "17.7",
		Sentence: "a certificate of the token was not valid when the token was judged",
		Arises: "A token is judged at the time of the next one, the last at --at. " +
			"By then a certificate on its way, or the pin of its authority, had ended.",
		Next: "Nothing mends it: a renewal must come before the certificates of the last token end. " +
			"Seal the data again; the new seal proves its own time only."},
	{Code: TokenRevoked, Spec: "17.6",
		Sentence: "a certificate of the token was revoked when the token was judged",
		Arises:   "A CRL or an OCSP answer names a certificate on the way of the token as revoked.",
		Next:     "Nothing mends it: seal the data again, and let another authority stamp it."},
	{Code: TokenUnchecked, Spec: "17.6", Effect: LeavesOpen, Severity: Medium,
		Sentence: "nothing shows that a certificate of the token was not revoked",
		Arises: "A certificate below the pinned authority needs a CRL or OCSP answer for the time at which the " +
			"token is judged. None is there, or those that are there are too old.",
		Next: "Give a current CRL or OCSP answer with --revocation. " +
			"A token that was renewed without one stays open; who trusts the signer itself can pin its certificate."},
	{Code: TokenOrder, Spec: "17.7",
		Sentence: "the times of the chain do not go forward",
		Arises: "Each token is later than the one before and than the seal, and none is later than the time of " +
			"the check.",
		Explanations: []string{"The clock of who sealed was fast."},
		Next:         "Compare the times; a token from before what it covers cannot be honest."},
	{Code: EvidenceMalformed, Spec: "17.6", Effect: None, Severity: Medium,
		Sentence: "a file with revocation data cannot be used",
		Arises: "It is no CRL or OCSP answer in DER, has extensions that are not understood, is by another " +
			"issuer, or its signature does not hold. It counts as if it were not there.",
		Next: "Download it again from the authority."},
	{Code: ChainMalformed, Spec: "17.1",
		Sentence: "the folder of the chain has not its form",
		Arises:   "A file in the folder of the chain is missing, too large, not canonical, or does not belong there.",
		Next:     "Restore the folder from a copy. Keep what is there."},
	{Code: ChainAltered, Spec: "17.1",
		Sentence: "the chain is not what its token covers",
		Arises: "A token covers the seal and every file of the steps before it. One of them is not there as it " +
			"was, or another was put in.",
		Next: "Restore the folder from a copy. Keep what is there."},
	{Code: ChainData, Spec: "17.8",
		Sentence: "the data is not what the chain covers",
		Arises: "The tree over the objects as they are now has another root than the seal or a renewal with " +
			"another hash.",
		Next: "svc-verify archive check DIR --ledger LEDGER --trust TRUST: which objects were altered."},
	{Code: Retired, Spec: "17.7",
		Sentence: "an algorithm was not believed any more when it had to hold",
		Arises: "The file of --algorithms says until when an algorithm is believed. What rests on it must be " +
			"renewed before.",
		Next: "Nothing mends it after that date: seal the data again with algorithms that are believed."},
	{Code: SealTooLate, Spec: "17.7",
		Sentence: "the first token came when the keys of the seal were not pinned any more, or not yet",
		Arises: "The signatures of a seal are judged at the time of its first token. " +
			"Who has old keys could make a seal with an earlier date after they ended.",
		Next: "Ask the owner of the keys whether the time in --seal-trust is right; else seal the data again."},
	{Code: Unlisted, Spec: "17.7", Effect: LeavesOpen, Severity: Medium,
		Sentence: "the file of --algorithms does not say until when an algorithm is believed",
		Arises:   "The file lists what is believed, and has no row for this algorithm and size.",
		Next:     "Add a row with the date that your authority for such dates gives."},
})

// OfTokens returns the entries of the codes of time-stamp tokens and chains of them.
func OfTokens() Registry { return tokens }

var tokenLimitations = Registry{
	{Code: NoToken, Spec: "17.7",
		Sentence: "No token shows when the seal was made. It convinces only those who trust its owner about the time.",
		Arises:   "The seal has no time-stamp token.",
		Next:     "svc-verify archive request SEAL --seal-trust FILE --out FILE.tsq: a request for a token."},
	{Code: TimeRestsOnToken, Spec: "17.7",
		Sentence: "The two signatures show who sealed. When the seal existed rests on the tokens, and so on the " +
			"pinned authorities.",
		Arises: "A token is the word of an authority about the time.",
		Next:   "Renew with a token of another authority, if one alone is not enough."},
	{Code: ClassicalToken, Spec: "17.7",
		Sentence: "The newest token falls with RSA, ECDSA or Ed25519. Renew with a post-quantum authority before " +
			"a quantum computer exists.",
		Arises: "The token, or a certificate on its way, is signed with an algorithm that a quantum computer breaks.",
		Next:   "svc-verify archive renew SEAL: a request for the next token, to an authority with ML-DSA."},
	{Code: AlgorithmsNotGiven, Spec: "17.9",
		Sentence: "Whether the algorithms are still believed was not examined: no file of --algorithms was given.",
		Arises:   "Without dates, every algorithm that the program knows is believed at all times.",
		Next:     "Give --algorithms FILE, with the dates that your authority for such dates gives."},
	{Code: DataNotRead, Spec: "17.8",
		Sentence: "The data was not read, and not compared with the trees of the chain.",
		Arises:   "The chain alone was verified.",
		Next:     "Name the archive too; every octet of it is then read."},
	{Code: ChainNotJudged, Spec: "17.7",
		Sentence: "The tokens were not judged over time, as one of them could not be used.",
		Arises:   "Each token is judged at the time of the next one, so that none is judged if one is missing.",
		Next:     "See the finding about the step."},
}

// OfTokenLimits returns the entries of what a chain of tokens does not prove.
func OfTokenLimits() Registry { return tokenLimitations }

const again = "Send the request to the authority again, and take in its new answer."
