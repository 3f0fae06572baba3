package verify

import "github.com/svc-edge/svc-verify/finding"

// The codes of SPEC 8.13.
const (
	RegistryNotPinned  Code = "registry.not-pinned"
	RegistryDiffers    Code = "registry.differs"
	RegistryUnnamed    Code = "registry.unnamed"
	RegistryMissing    Code = "registry.missing"
	RegistryGeneration Code = "registry.other-generation"
)

var registryDefects = []finding.Entry{
	{Code: RegistryNotPinned, Arises: "The trust file has no pin for this registry generation.",
		Next: pinOnly},
	{Code: RegistryDiffers, Sentence: "{path} is not the pinned registry",
		Arises: "The registry was changed, or the pin is of another one.", Next: pinOnly},
	{Code: RegistryUnnamed, Arises: "A registry was added that no receipt names.", Next: suspect},
	{Code: RegistryMissing, Contrast: "expected {expected}, found none for generation {found}",
		Arises: "The registry that a receipt names was removed.", Next: rebuild},
	{Code: RegistryGeneration, Sentence: "{path} is not the receipt's generation",
		Arises: "Manifest and receipt name different registries.", Next: suspect},
}

// The codes of SPEC 8.14.
const (
	SignerNotRegistered Code = "signer.not-registered"
	SignerKeyDiffers    Code = "signer.key-differs"
	SignerAlgorithm     Code = "signer.algorithm-not-allowed"
	SignerIssuer        Code = "signer.issuer-not-allowed"
)

var signerDefects = []finding.Entry{
	{Code: SignerNotRegistered, Arises: "The receipt is by a signer outside the registry.", Next: suspect},
	{Code: SignerKeyDiffers, Arises: "The registry has another key under the signer's id.", Next: pinOnly},
	{Code: SignerAlgorithm, Arises: "The signer was not allowed this algorithm.", Next: suspect},
	{Code: SignerIssuer, Arises: "The signer was not allowed this issuer.", Next: suspect},
}

// ReceiptOtherDecision is the code of SPEC 8.15.
const ReceiptOtherDecision Code = "receipt.other-decision"

var receiptDefects = []finding.Entry{
	{Code: ReceiptOtherDecision, Sentence: "{path} names another decision",
		Arises: "The signer acted on other decisions than those shown.", Next: suspect},
}

// The codes of SPEC 8.16.
const (
	CertificateDiffers   Code = "certificate.differs"
	SerialDiffers        Code = "certificate.serial-differs"
	ValidityDiffers      Code = "certificate.validity-differs"
	LifetimeDiffers      Code = "certificate.lifetime-differs"
	NotBeforeOutOfWindow Code = "certificate.not-before-out-of-window"
	SubjectKeyDiffers    Code = "certificate.key-differs"
	AlgorithmDiffers     Code = "certificate.algorithm-differs"
)

var identityDefects = []finding.Entry{
	{Code: CertificateDiffers, Sentence: "{path} is of another certificate",
		Arises: "The certificate was exchanged.", Next: suspect},
	{Code: SerialDiffers, Arises: "The serial is not the certificate's.", Next: suspect},
	{Code: ValidityDiffers, Arises: "The receipt states another validity than the certificate.",
		Next: suspect},
	{Code: LifetimeDiffers, Arises: "The certificate's lifetime is not the agreed one.", Next: suspect},
	{Code: NotBeforeOutOfWindow, Arises: "The certificate was back- or post-dated.", Next: suspect},
	{Code: SubjectKeyDiffers, Sentence: "{path} is of another key",
		Arises: "The certificate is for another key than was agreed.", Next: suspect},
	{Code: AlgorithmDiffers, Arises: "The certificate's key is of another kind than was agreed.",
		Next: suspect},
}

// The codes of SPEC 8.17.
const (
	CertificateVersion   Code = "certificate.version"
	CertificateIsCA      Code = "certificate.is-ca"
	CertificateKeyUsage  Code = "certificate.key-usage-not-allowed"
	CertificateUsages    Code = "certificate.usages-differ"
	CertificateNames     Code = "certificate.names-differ"
	CertificateSubject   Code = "certificate.subject-not-allowed"
	CertificateExtension Code = "certificate.extension-not-allowed"
)

var powerDefects = []finding.Entry{
	{Code: CertificateVersion, Arises: "The certificate is not of X.509 version 3.", Next: suspect},
	{Code: CertificateIsCA, Arises: "The certificate could issue others.",
		Next: "Treat the certificate as misissued and have it revoked."},
	{Code: CertificateKeyUsage, Arises: "The certificate allows uses of its key that were not agreed to.",
		Next: suspect},
	{Code: CertificateUsages, Contrast: "expected the extended key usages {expected}, found {found}",
		Arises: "The certificate has other uses than were agreed.", Next: suspect},
	{Code: CertificateNames, Contrast: "expected the names {expected}, found {found}",
		Arises: "The certificate has other names than were agreed.", Next: suspect},
	{Code: CertificateSubject, Arises: "The certificate's subject contains something that was not agreed to.",
		Next: suspect},
	{Code: CertificateExtension,
		Arises: "The certificate has an extension that a relying party could read as power that was not agreed to, " +
			"or a critical one that this check does not read.",
		Next: suspect},
}

// The codes of SPEC 8.18.
const (
	IssuerNameDiffers Code = "issuer.name-differs"
	IssuerNotCA       Code = "issuer.not-a-ca"
	IssuerKeyWeak     Code = "issuer.weak-key"
	IssuerSignature   Code = "issuer.signature-invalid"
)

var issuerDefects = []finding.Entry{
	{Code: IssuerNameDiffers, Arises: "The certificate names another issuer.", Next: suspect},
	{Code: IssuerNotCA, Arises: "The issuing certificate may not issue.", Next: suspect},
	{Code: IssuerKeyWeak, Arises: "The issuer's key is of a kind or size that is not accepted.",
		Next: suspect},
	{Code: IssuerSignature,
		Arises: "The issuer did not sign this certificate, or with a method that is not accepted.",
		Next:   suspect},
}
