package archives

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/archive/timestamp"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// opensslTSA is an authority of OpenSSL in a folder.
type opensslTSA struct{ dir string }

const tsaConfig = `
[ req ]
distinguished_name = dn
[ dn ]
[ authority ]
basicConstraints = critical,CA:TRUE
keyUsage = critical,keyCertSign,cRLSign
subjectKeyIdentifier = hash
[ stamper ]
basicConstraints = critical,CA:FALSE
keyUsage = critical,digitalSignature
extendedKeyUsage = critical,timeStamping
[ server ]
basicConstraints = critical,CA:FALSE
extendedKeyUsage = serverAuth
[ ca ]
default_ca = db
[ db ]
database = index.txt
crlnumber = crlnumber
default_md = sha256
default_crl_days = 30
crl_extensions = crl
[ crl ]
authorityKeyIdentifier = keyid
[ tsa ]
default_tsa = one
[ one ]
serial = tsaserial
signer_digest = sha512
default_policy = 1.3.6.1.4.1.99999.2
digests = sha256, sha512, sha3-512
accuracy = secs:1, millisecs:500
ordering = yes
tsa_name = yes
ess_cert_id_chain = CHAIN
ess_cert_id_alg = ESS
`

// newTSA makes an authority and a signer whose key OpenSSL makes from some arguments.
func newTSA(t *testing.T, chain, ess string, key ...string) *opensslTSA {
	t.Helper()
	peers(t)
	tsa := &opensslTSA{t.TempDir()}
	text := strings.NewReplacer("CHAIN", chain, "ESS", ess).Replace(tsaConfig)
	for name, content := range map[string]string{"tsa.cnf": text, "index.txt": "", "crlnumber": "01\n",
		"tsaserial": "01\n"} {
		must.Do(t, os.WriteFile(filepath.Join(tsa.dir, name), []byte(content), 0o600))
	}
	tsa.must(t, "req", "-config", "tsa.cnf", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-384", "-nodes",
		"-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=CA", "-days", "3650", "-extensions", "authority")
	tsa.issue(t, "stamper", "stamper", key...)
	return tsa
}

// issue makes a certificate of the authority.
func (o *opensslTSA) issue(t *testing.T, name, kind string, key ...string) {
	t.Helper()
	o.must(t, append([]string{"req", "-config", "tsa.cnf", "-nodes", "-keyout", name + ".key", "-out", name + ".csr",
		"-subj", "/CN=" + name, "-newkey"}, key...)...)
	o.must(t, "x509", "-req", "-in", name+".csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-out",
		name+".pem", "-days", "365", "-extfile", "tsa.cnf", "-extensions", kind)
}

// must runs OpenSSL in the folder.
func (o *opensslTSA) must(t *testing.T, args ...string) string {
	t.Helper()
	stdout, stderr, ok := o.openssl(t, args...)
	must.That(t, ok, "openssl %s: %s", strings.Join(args, " "), stderr)
	return stdout
}

func (o *opensslTSA) openssl(t *testing.T, args ...string) (stdout, stderr string, ok bool) {
	t.Helper()
	return run(t, "env", append([]string{"-C", o.dir, "openssl"}, args...)...)
}

func (o *opensslTSA) file(t *testing.T, name string) []byte {
	t.Helper()
	return must.Get(os.ReadFile(filepath.Join(o.dir, name)))(t)
}

func (o *opensslTSA) certificate(t *testing.T, name string) *x509.Certificate {
	t.Helper()
	block, _ := pem.Decode(o.file(t, name))
	return must.Get(timestamp.ParseCertificate(block.Bytes))(t)
}

// stamp answers a request.
func (o *opensslTSA) stamp(t *testing.T, r timestamp.Request) []byte {
	t.Helper()
	must.Do(t, os.WriteFile(filepath.Join(o.dir, "request.tsq"), r.Marshal(), 0o600))
	o.must(t, "ts", "-reply", "-config", "tsa.cnf", "-queryfile", "request.tsq", "-signer", "stamper.pem", "-inkey",
		"stamper.key", "-chain", "ca.pem", "-out", "answer.tsr")
	return o.file(t, "answer.tsr")
}

// judge returns svc-verify's result for an answer.
func (o *opensslTSA) judge(t *testing.T, r timestamp.Request, answer []byte) (*timestamp.Chain, *timestamp.Fault) {
	t.Helper()
	token, fault := timestamp.Parse(answer)
	if fault != nil {
		return nil, fault
	}
	if fault := token.Answers(r); fault != nil {
		return nil, fault
	}
	pins := []timestamp.Authority{{Name: "openssl", Certificates: []*x509.Certificate{o.certificate(t, "ca.pem")}}}
	return token.Trace(pins, nil)
}

// TestOpenSSLTokens: OpenSSL reads our requests, its tokens verify here, and it
// verifies them too. A changed one is refused by both.
func TestOpenSSLTokens(t *testing.T) {
	for _, c := range []struct {
		name, chain, ess string
		hash             timestamp.Hash
		key              []string
	}{
		{"rsa", "yes", "sha256", timestamp.SHA512, []string{"rsa:2048"}},
		{"ecdsa", "no", "sha512", timestamp.SHA512, []string{"ec", "-pkeyopt", "ec_paramgen_curve:P-256"}},
		{"version 1 of signing-certificate", "yes", "sha1", timestamp.SHA256, []string{"rsa:3072"}},
		{"sha3", "no", "sha256", timestamp.SHA3x512, []string{"ec", "-pkeyopt", "ec_paramgen_curve:P-521"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			tsa := newTSA(t, c.chain, c.ess, c.key...)
			data := []byte("what is stamped")
			r := timestamp.NewRequest(c.hash, c.hash.Sum(data))
			answer := tsa.stamp(t, r)
			read := tsa.must(t, "ts", "-query", "-in", "request.tsq", "-text")
			if !strings.Contains(strings.ToLower(read), r.Nonce.Text(16)) ||
				!strings.Contains(read, "Certificate required: yes") {
				t.Errorf("openssl reads our request as\n%s", read)
			}
			chain, fault := tsa.judge(t, r, answer)
			must.That(t, fault == nil, "%v", fault)
			if chain.Token.Accuracy != 1500*time.Millisecond || chain.Token.Policy != "1.3.6.1.4.1.99999.2" ||
				len(chain.Way) != 2 {
				t.Errorf("%+v", chain.Token)
			}
			verify := []string{"ts", "-verify", "-queryfile", "request.tsq", "-in", "answer.tsr", "-CAfile", "ca.pem"}
			if _, said, ok := tsa.openssl(t, verify...); !ok {
				t.Errorf("openssl refuses its own token: %s", said)
			}
			bad := bytes.Clone(answer)
			bad[len(bad)-1] ^= 1 // in the signature
			if _, fault := tsa.judge(t, r, bad); fault == nil {
				t.Error("a token with another signature is accepted")
			}
			must.Do(t, os.WriteFile(filepath.Join(tsa.dir, "answer.tsr"), bad, 0o600))
			if _, _, ok := tsa.openssl(t, verify...); ok {
				t.Error("openssl accepts a token with another signature")
			}
			again := timestamp.NewRequest(c.hash, c.hash.Sum(data))
			if _, fault := tsa.judge(t, again, answer); fault == nil || fault.Code != timestamp.TokenOther {
				t.Errorf("the answer to another request: %v", fault)
			}
		})
	}
}

// TestOpenSSLStored: OpenSSL reads a token to which evidence was added, verifies it, and refuses it
// with another signature.
func TestOpenSSLStored(t *testing.T) {
	tsa := newTSA(t, "yes", "sha256", "rsa:2048")
	r := timestamp.NewRequest(timestamp.SHA512, timestamp.SHA512.Sum([]byte("a seal")))
	chain, fault := tsa.judge(t, r, tsa.stamp(t, r))
	must.That(t, fault == nil, "%v", fault)
	tsa.must(t, "ca", "-config", "tsa.cnf", "-valid", "stamper.pem", "-keyfile", "ca.key", "-cert", "ca.pem")
	tsa.must(t, "ca", "-config", "tsa.cnf", "-gencrl", "-keyfile", "ca.key", "-cert", "ca.pem", "-out", "list.pem")
	tsa.must(t, "ocsp", "-index", "index.txt", "-CA", "ca.pem", "-rsigner", "ca.pem", "-rkey", "ca.key", "-issuer",
		"ca.pem", "-cert", "stamper.pem", "-ndays", "7", "-respout", "answer.ocsp", "-noverify")
	var evidence []timestamp.Evidence
	for _, name := range []string{"list.pem", "answer.ocsp"} {
		e, fault := timestamp.ParseEvidence(name, tsa.file(t, name))
		must.That(t, fault == nil, "%v", fault)
		evidence = append(evidence, e)
	}
	stored, fault := chain.Token.With([]*x509.Certificate{tsa.certificate(t, "ca.pem")}, evidence)
	must.That(t, fault == nil, "%v", fault)
	must.Do(t, os.WriteFile(filepath.Join(tsa.dir, "stored.tst"), stored.DER, 0o600))
	printed := tsa.must(t, "cms", "-cmsout", "-print", "-inform", "DER", "-in", "stored.tst", "-noout")
	for _, part := range []string{"version: 5", "d.crl:", "d.other:", "1.3.6.1.5.5.7.16.2"} {
		check.That(t, strings.Contains(printed, part), "OpenSSL reads no %q in\n%s", part, printed)
	}
	verify := []string{"cms", "-verify", "-binary", "-inform", "DER", "-CAfile", "ca.pem", "-purpose", "timestampsign",
		"-out", "info.der", "-in", "stored.tst"}
	tsa.must(t, verify...)
	bad := bytes.Clone(stored.DER)
	bad[len(bad)-1] ^= 1 // in the signature
	must.Do(t, os.WriteFile(filepath.Join(tsa.dir, "stored.tst"), bad, 0o600))
	_, _, ok := tsa.openssl(t, verify...)
	check.That(t, !ok, "OpenSSL accepts a token with another signature")
}

// TestOpenSSLRevocation: CRLs and OCSP answers of OpenSSL, before and after it revokes
// the signer.
func TestOpenSSLRevocation(t *testing.T) {
	tsa := newTSA(t, "yes", "sha256", "rsa:2048")
	tsa.issue(t, "responder", "server", "rsa:2048") // may not answer
	r := timestamp.NewRequest(timestamp.SHA512, timestamp.SHA512.Sum([]byte("a seal")))
	chain, fault := tsa.judge(t, r, tsa.stamp(t, r))
	must.That(t, fault == nil, "%v", fault)
	crl := func() []byte {
		tsa.must(t, "ca", "-config", "tsa.cnf", "-gencrl", "-keyfile", "ca.key", "-cert", "ca.pem", "-out", "list.pem")
		return tsa.file(t, "list.pem")
	}
	ocsp := func(signer string) []byte {
		tsa.must(t, "ocsp", "-index", "index.txt", "-CA", "ca.pem", "-rsigner", signer+".pem", "-rkey", signer+".key",
			"-issuer", "ca.pem", "-cert", "stamper.pem", "-ndays", "7", "-respout", "answer.ocsp", "-noverify")
		return tsa.file(t, "answer.ocsp")
	}
	outcome := func(doc []byte) finding.Code {
		e, fault := timestamp.ParseEvidence("file", doc)
		must.That(t, fault == nil, "%v", fault)
		s := chain.Judge(time.Now(), []timestamp.Evidence{e})
		switch {
		case s.Fault != nil:
			return s.Fault.Code
		case len(s.Open) > 0:
			return s.Open[0].Code
		}
		return ""
	}
	expect := func(name string, doc []byte, want finding.Code) {
		t.Helper()
		check.Equal(t, outcome(doc), want, "%s", name)
	}
	expect("a CRL without it", crl(), "")
	bare := strings.NewReplacer("crl_extensions = crl\n", "", "crlnumber = crlnumber\n", "").Replace(
		string(tsa.file(t, "tsa.cnf")))
	must.Do(t, os.WriteFile(filepath.Join(tsa.dir, "bare.cnf"), []byte(bare), 0o600))
	tsa.must(t, "ca", "-config", "bare.cnf", "-gencrl", "-keyfile", "ca.key", "-cert", "ca.pem", "-out", "bare.pem")
	check.That(t, strings.Contains(tsa.must(t, "crl", "-in", "bare.pem", "-noout", "-text"), "Version 1"),
		"OpenSSL writes no CRL of version 1")
	expect("a CRL of version 1", tsa.file(t, "bare.pem"), "")
	expect("an answer about what the authority does not know", ocsp("ca"), timestamp.TokenUnchecked)
	expect("an answer by someone else", ocsp("responder"), timestamp.TokenUnchecked)
	tsa.must(t, "ca", "-config", "tsa.cnf", "-valid", "stamper.pem", "-keyfile", "ca.key", "-cert", "ca.pem")
	expect("a good answer", ocsp("ca"), "")
	tsa.must(t, "ca", "-config", "tsa.cnf", "-revoke", "stamper.pem", "-crl_reason", "keyCompromise", "-keyfile", "ca.key",
		"-cert", "ca.pem")
	expect("a CRL with it", crl(), timestamp.TokenNotValid)
	expect("an answer that it is revoked", ocsp("ca"), timestamp.TokenNotValid)
}
