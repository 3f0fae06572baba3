package nodeconfig

import (
	"crypto"
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"net/netip"
	"time"
)

// Config is the configuration of a Mesh Node, with everything that its files
// held when they were judged.
type Config struct {
	TenantID, NodeID string
	// StateDirectory holds the data that the node must never lose: its signing keys, the
	// journal, all that it has witnessed, the cursor of the export.
	StateDirectory File
	// PolicyKeys sign policies, AuditKeys the tenant log; both by key id. No
	// key occurs twice.
	PolicyKeys, AuditKeys map[string]ed25519.PublicKey

	LocalAPI  LocalAPI
	Cloud     Cloud
	Discovery *Discovery   // nil if it is off
	Export    *Export      // nil if it is off
	Store     *SecretStore // nil if it is off
}

// File is a path that a setting names.
type File struct {
	// Pointer is the RFC 6901 pointer of the setting, for messages.
	Pointer string
	// Path is the path, relative ones being joined to the folder of the
	// configuration; "" if an optional setting is absent.
	Path string
}

// Identity is a certificate and its private key, for one end of TLS.
type Identity struct {
	CertificateFile, PrivateKeyFile File
	// Chain is the leaf, then each certificate's issuer.
	Chain []*x509.Certificate
	// Key is the private key of the leaf.
	Key crypto.Signer
}

// Pair returns the identity as TLS shows it.
func (id Identity) Pair() tls.Certificate {
	pair := tls.Certificate{PrivateKey: id.Key, Leaf: id.Chain[0]}
	for _, c := range id.Chain {
		pair.Certificate = append(pair.Certificate, c.Raw)
	}
	return pair
}

// Authorities are pinned CA certificates.
type Authorities struct {
	File         File
	Certificates []*x509.Certificate
}

// Pool returns the authorities as the roots of a verification.
func (a Authorities) Pool() *x509.CertPool {
	pool := x509.NewCertPool()
	for _, c := range a.Certificates {
		pool.AddCert(c)
	}
	return pool
}

// LocalAPI is where the node answers. Every caller needs a client certificate.
type LocalAPI struct {
	Address  netip.AddrPort
	Identity Identity
	Clients  Authorities
	// Subscribers may read the trust events; the endpoint is off if there are
	// none.
	Subscribers []SPIFFEPrefix
}

// Cloud is how the node reaches the cloud.
type Cloud struct {
	URL         string // an origin, without a slash at its end
	Authorities Authorities
	Identity    Identity
	// Pins are the SHA-256 digests of the SubjectPublicKeyInfos that the
	// cloud's leaf may have.
	Pins                         [][sha256.Size]byte
	RequestTimeout, PollInterval time.Duration
}

// Discovery is which dependencies the node probes.
type Discovery struct {
	Probes            []Probe
	Interval, Timeout time.Duration
}

// Probe is one dependency.
type Probe struct {
	Service string // its identifier
	Address string // host:port
}

// Export is the OTLP export of the journal.
type Export struct {
	ExporterID                   string
	Endpoint                     string // https://host[:port]/v1/logs
	Authorities                  Authorities
	Identity                     Identity
	BatchSize                    int // in events
	RequestTimeout, PollInterval time.Duration
}

// SecretStore is the secret-store adapter.
type SecretStore struct {
	AdapterReference, ProfileID string // as in the console
	Address                     string // an origin, without a slash at its end
	Namespace                   string // "" for none
	// TokenFile is read anew for every request, by [SecretStore.Token].
	TokenFile File
	// Authorities have no certificates if the system's are to decide.
	Authorities Authorities
	// Identity has no chain if there is no TLS client authentication.
	Identity         Identity
	Mount, BasePath  string
	ManagedDirectory File
	// Bootstrap becomes the first generation.
	Bootstrap Identity
	// HealthURL shows the leaf that is in use after a rotation.
	HealthURL                      string
	RequestTimeout, RollbackWindow time.Duration
	Reload                         *Reload // nil if nothing is to be run
}

// Reload is the program that makes a workload take up a new certificate.
type Reload struct {
	Binary File
	// SHA256 is the digest that Binary must have before every run.
	SHA256 [sha256.Size]byte
	// Arguments are fixed except for {certificate}, which is replaced by the path of the new
	// certificate.
	Arguments []string
	Timeout   time.Duration
}
