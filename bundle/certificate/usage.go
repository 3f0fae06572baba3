package certificate

// KeyUsage has the bits of a keyUsage extension (RFC 5280, 4.2.1.3): bit n is
// 1<<n. It is 0 only if there is no such extension, since one that is there
// asserts at least one bit.
type KeyUsage uint16

// The uses of a key.
const (
	DigitalSignature KeyUsage = 1 << iota
	NonRepudiation
	KeyEncipherment
	DataEncipherment
	KeyAgreement
	CertSign
	CRLSign
	EncipherOnly
	DecipherOnly
)

// useNames are the names of the bits, in their order.
var useNames = [...]string{
	"digitalSignature", "nonRepudiation", "keyEncipherment", "dataEncipherment", "keyAgreement",
	"keyCertSign", "cRLSign", "encipherOnly", "decipherOnly",
}
