package verify

// The codes of SPEC 8.13.
const (
	RegistryNotPinned  Code = "registry.not-pinned"
	RegistryDiffers    Code = "registry.differs"
	RegistryUnnamed    Code = "registry.unnamed"
	RegistryMissing    Code = "registry.missing"
	RegistryGeneration Code = "registry.other-generation"
)

var registryDefects = []Defect{
	{RegistryNotPinned, "8.13", plain,
		"The trust file has no pin for this registry generation.", pinOnly},
	{RegistryDiffers, "8.13", "{path} is not the pinned registry: expected {expected}, found {found}",
		"The registry was changed, or the pin is of another one.", pinOnly},
	{RegistryUnnamed, "8.13", plain,
		"A registry was added that no receipt names.", suspect},
	{RegistryMissing, "8.13", "{path}: expected {expected}, found none for generation {found}",
		"The registry that a receipt names was removed.", rebuild},
	{RegistryGeneration, "8.13", "{path} is not the receipt's generation: expected {expected}, found {found}",
		"Manifest and receipt name different registries.", suspect},
}

// The codes of SPEC 8.14.
const (
	SignerNotRegistered Code = "signer.not-registered"
	SignerKeyDiffers    Code = "signer.key-differs"
	SignerAlgorithm     Code = "signer.algorithm-not-allowed"
	SignerIssuer        Code = "signer.issuer-not-allowed"
)

var signerDefects = []Defect{
	{SignerNotRegistered, "8.14", plain,
		"The receipt is by a signer outside the registry.", suspect},
	{SignerKeyDiffers, "8.14", plain,
		"The registry has another key under the signer's id.", pinOnly},
	{SignerAlgorithm, "8.14", plain,
		"The signer was not allowed this algorithm.", suspect},
	{SignerIssuer, "8.14", plain,
		"The signer was not allowed this issuer.", suspect},
}

// ReceiptOtherDecision is the code of SPEC 8.15.
const ReceiptOtherDecision Code = "receipt.other-decision"

var receiptDefects = []Defect{
	{ReceiptOtherDecision, "8.15", "{path} names another decision: expected {expected}, found {found}",
		"The signer acted on other decisions than those shown.", suspect},
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

var identityDefects = []Defect{
	{CertificateDiffers, "8.16", "{path} is of another certificate: expected {expected}, found {found}",
		"The certificate was exchanged.", suspect},
	{SerialDiffers, "8.16", plain,
		"The serial is not the certificate's.", suspect},
	{ValidityDiffers, "8.16", plain,
		"The receipt states another validity than the certificate.", suspect},
	{LifetimeDiffers, "8.16", plain,
		"The certificate's lifetime is not the agreed one.", suspect},
	{NotBeforeOutOfWindow, "8.16", plain,
		"The certificate was back- or post-dated.", suspect},
	{SubjectKeyDiffers, "8.16", "{path} is of another key: expected {expected}, found {found}",
		"The certificate is for another key than was agreed.", suspect},
	{AlgorithmDiffers, "8.16", plain,
		"The certificate's key is of another kind than was agreed.", suspect},
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

var powerDefects = []Defect{
	{CertificateVersion, "8.17", plain,
		"The certificate is not of X.509 version 3.", suspect},
	{CertificateIsCA, "8.17", plain,
		"The certificate could issue others.", "Treat the certificate as misissued and have it revoked."},
	{CertificateKeyUsage, "8.17", plain,
		"The certificate allows uses of its key that were not agreed to.", suspect},
	{CertificateUsages, "8.17", "{path}: expected the extended key usages {expected}, found {found}",
		"The certificate has other uses than were agreed.", suspect},
	{CertificateNames, "8.17", "{path}: expected the names {expected}, found {found}",
		"The certificate has other names than were agreed.", suspect},
	{CertificateSubject, "8.17", plain,
		"The certificate's subject contains something that was not agreed to.", suspect},
	{CertificateExtension, "8.17", plain,
		"The certificate has an extension that a relying party could read as power that was not agreed to, " +
			"or a critical one that this check does not read.", suspect},
}

// The codes of SPEC 8.18.
const (
	IssuerNameDiffers Code = "issuer.name-differs"
	IssuerNotCA       Code = "issuer.not-a-ca"
	IssuerKeyWeak     Code = "issuer.weak-key"
	IssuerSignature   Code = "issuer.signature-invalid"
)

var issuerDefects = []Defect{
	{IssuerNameDiffers, "8.18", plain,
		"The certificate names another issuer.", suspect},
	{IssuerNotCA, "8.18", plain,
		"The issuing certificate may not issue.", suspect},
	{IssuerKeyWeak, "8.18", plain,
		"The issuer's key is of a kind or size that is not accepted.", suspect},
	{IssuerSignature, "8.18", plain,
		"The issuer did not sign this certificate, or with a method that is not accepted.", suspect},
}
