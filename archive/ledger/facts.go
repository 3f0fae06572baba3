package ledger

import (
	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/verify"
)

// says packs the rest of what an object says.
func (p *packer) says(f *object.Facts) {
	p.certificate(&f.Proof)
	p.int(int64(len(f.Proofs)))
	for i := range f.Proofs {
		proof := &f.Proofs[i]
		p.text(proof.Name)
		p.name(ofText(proof.TenantID))
		p.text(proof.TransactionID)
		p.name(ofText(proof.Status))
		p.int(int64(proof.CheckpointSequence)) // #nosec G115 -- no sequence has 64 bits
		p.text(proof.AsOf)
		p.certificate(proof)
	}
	for _, n := range []int64{f.Contains.Issued, f.Contains.Revoked, f.Contains.Superseded, f.AllLogs} {
		p.int(n)
	}
	p.int(int64(len(f.Logs)))
	for i := range f.Logs {
		l := &f.Logs[i]
		p.name(ofText(l.TenantID))
		p.text(l.LogID)
		for _, n := range numbers(l) {
			p.int(int64(*n)) // #nosec G115 -- nor has one of these
		}
		p.text(l.CompleteByOthers.Says)
		p.text(l.CompleteByOwn.Says)
	}
	p.texts(f.UnknownKeys)
	p.bool(f.MayBeGood)
}

// certificate packs what a proof says beside its status.
func (p *packer) certificate(proof *object.Proof) {
	p.text(proof.CertificateSerial)
	p.texts(proof.CertificateNames)
	for _, s := range []string{proof.NotBefore, proof.NotAfter, proof.RevokedAt} {
		p.text(s)
	}
	p.bool(proof.Superseded)
}

func (p *packer) texts(all []string) {
	p.int(int64(len(all)))
	for _, s := range all {
		p.text(s)
	}
}

func (p *packer) bool(is bool) {
	n := int64(0)
	if is {
		n = 1
	}
	p.int(n)
}

// numbers are the numbers of a log in the order of an entry.
func numbers(l *object.Log) []*uint64 {
	return []*uint64{&l.CompleteByOthers.Sequence, &l.CompleteByOwn.Sequence, &l.TailByOthers, &l.UnanchoredTail}
}

// says unpacks the rest of what an object says.
func (u *unpacker) says(f *object.Facts) {
	u.certificate(&f.Proof)
	for n := u.count(); n > 0 && u.err == nil; n-- {
		var proof object.Proof
		proof.Name, proof.TenantID, proof.TransactionID = u.text(), u.name(textName).text, u.text()
		proof.Status = u.name(textName).text
		proof.CheckpointSequence, proof.AsOf = uint64(u.int()), u.text()
		u.certificate(&proof)
		proof.Freshness = verify.NoAge
		f.Proofs = append(f.Proofs, proof)
	}
	for _, n := range []*int64{&f.Contains.Issued, &f.Contains.Revoked, &f.Contains.Superseded, &f.AllLogs} {
		*n = u.int()
	}
	for n := u.count(); n > 0 && u.err == nil; n-- {
		var l object.Log
		l.TenantID, l.LogID = u.name(textName).text, u.text()
		for _, number := range numbers(&l) {
			*number = uint64(u.int())
		}
		l.CompleteByOthers.Says, l.CompleteByOwn.Says = u.text(), u.text()
		f.Logs = append(f.Logs, l)
	}
	f.UnknownKeys, f.MayBeGood = u.texts(), u.int() != 0
}

// certificate unpacks what a proof says beside its status.
func (u *unpacker) certificate(proof *object.Proof) {
	proof.CertificateSerial, proof.CertificateNames = u.text(), u.texts()
	for _, s := range []*string{&proof.NotBefore, &proof.NotAfter, &proof.RevokedAt} {
		*s = u.text()
	}
	proof.Superseded = u.int() != 0
}

func (u *unpacker) texts() (all []string) {
	for n := u.count(); n > 0 && u.err == nil; n-- {
		all = append(all, u.text())
	}
	return all
}
