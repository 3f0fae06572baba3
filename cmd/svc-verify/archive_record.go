package main

import (
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/archive/record"
	"github.com/svc-edge/svc-verify/archive/seal"
	"github.com/svc-edge/svc-verify/archive/sealkey"
	"github.com/svc-edge/svc-verify/archive/text"
	"github.com/svc-edge/svc-verify/archive/timestamp"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/outcome"
)

// Suffixes of files, behind the name of the seal or proof that they belong to.
const (
	recordSuffix  = ".er"      // its evidence record
	requestSuffix = ".request" // a request that waits for its token
)

// sealInput is a seal whose signatures hold, its record, and the options that judge both.
type sealInput struct {
	file    []byte
	subject record.Subject
	record  *record.Record // nil if there is none
	options record.Options
	report  *seal.Report
}

// onSeal runs a form of archive seal on an existing seal. One that does not hold, and a record
// that has not its form, is the answer itself.
func (c *invocation) onSeal(f commandForm, do func(*sealInput, *invocation) *reply) *reply {
	ctx := c.interruptContext()
	c.requireForm(f)
	c.requireNamed()
	trusted, file := c.sealTrust(), c.readFile(c.Args[0], seal.MaxSeal)
	in := &sealInput{file: file, report: mustHave(seal.Verify(ctx, file, trusted, seal.Against{}))}
	unread := in.readSeal(c, trusted)
	switch {
	case unread != nil:
		return c.answerRecord(unread)
	case in.report.Verdict != outcome.Verified:
		return c.answerSeal(in.report, withName(text.Seal, c.Args[0]))
	}
	return do(in, c)
}

// readSeal reads the record of the seal, and the options that judge it. It returns a report if the record has not
// its form.
func (in *sealInput) readSeal(c *invocation, trusted *sealkey.Trust) (unread *record.Report) {
	in.options = c.recordOptions(trusted)
	s, faults := seal.Parse(in.file)
	if len(faults) > 0 {
		return nil // the report lists the faults
	}
	if former := c.Args[0] + ".chain"; fileExists(former) {
		c.sayLine("not examined: the tokens in %s, which an earlier version made: seal them with the archive, "+
			"as docs/archives.md shows", safetext.Quote(former))
	}
	pin, _ := trusted.Pin(s.Envelope.Signer)
	in.subject = record.SubjectOf(s, pin)
	in.record, unread = c.readRecord(c.Args[0]+recordSuffix, in.options)
	return unread
}

// recordOptions returns the options that judge a record.
func (c *invocation) recordOptions(trusted *sealkey.Trust) (o record.Options) {
	o.At, o.Authorities = c.nowOf(), trusted.Authorities()
	if c.Given("algorithms") {
		o.Algorithms = tryParse[record.AlgorithmsFaults](c, "file of --algorithms", c.Text("algorithms"),
			record.MaxAlgorithms, record.ParseAlgorithms)
	}
	return o
}

// readRecord reads a record; nil if there is no such file. It returns a report if that has not its form.
func (c *invocation) readRecord(name string, o record.Options) (*record.Record, *record.Report) {
	if !fileExists(name) {
		return nil, nil
	}
	r, err := record.Parse(c.readFile(name, record.MaxRecord))
	if malformed := new(timestamp.Fault); errors.As(err, &malformed) {
		return nil, record.Unread(malformed, o.At)
	}
	return mustHave(r, err), nil
}

// fileExists reports whether there is a file.
func fileExists(name string) bool {
	_, err := os.Lstat(name)
	return !errors.Is(err, fs.ErrNotExist)
}

// openLists opens the lists of leaves under the hashes of the first chains of a seal's record; nil if one is
// not there.
func (c *invocation) openLists(chains int) (lists []io.Reader) {
	first := c.openLeaves(c.Args[0])
	if first == nil {
		return nil
	}
	lists = append(lists, first)
	for n := 2; n <= chains; n++ {
		name := c.Args[0] + record.LeavesSuffix(n)
		if !fileExists(name) {
			return nil
		}
		lists = append(lists, closeLater(c, mustHave(openFile(name))))
	}
	return lists
}

// growFrom returns the trees over the objects that lists of leaves have, under the hash of each list.
func (in *sealInput) growFrom(lists []io.Reader, hashes []timestamp.Hash) *record.Forest {
	inventory := mustHave(record.ReadLists(hashes, lists))
	return record.Grow(in.record, in.file, inventory)
}

// readRevocation reads the files of --revocation.
func (c *invocation) readRevocation() (all []timestamp.Evidence) {
	for _, name := range c.List("revocation") {
		e, fault := timestamp.ParseEvidence(name, c.readFile(name, timestamp.MaxRevocation))
		stopIf(fault != nil, "--revocation: %w", fault)
		all = append(all, e)
	}
	return all
}

// readCertificates reads all certificates of the PEM files of --certificates.
func (c *invocation) readCertificates() (all []*x509.Certificate) {
	for _, name := range c.List("certificates") {
		block, rest := pem.Decode(c.readFile(name, timestamp.MaxToken))
		stopIf(block == nil, "reading %s: expected certificates in PEM, found no PEM block", safetext.Quote(name))
		for ; block != nil; block, rest = pem.Decode(rest) {
			one, err := timestamp.ParseCertificate(block.Bytes)
			stopIf(err != nil, "reading %s: expected certificates in PEM: %w", safetext.Quote(name), err)
			all = append(all, one)
		}
	}
	refuseIf(len(all) > timestamp.MaxCertificates, "--certificates: at most %d certificates", timestamp.MaxCertificates)
	return all
}

// answerRecord answers about a record, and reports the first finding.
func (c *invocation) answerRecord(r *record.Report) *reply {
	c.sayRecord(r)
	return replyTo(r.Verdict, r, withName(text.Record, c.Args[0]))
}

// sayRecord reports the first finding about a record.
func (c *invocation) sayRecord(r *record.Report) {
	if len(r.Findings) > 0 {
		f := r.Findings[0]
		c.sayLine("%s: %s: %s (%s)", r.Verdict, safetext.Line(f.Path), f.Remark(), f.Code)
	}
}

// sealAnswer is the verification of a seal or proof, and of its records.
type sealAnswer struct {
	*seal.Report
	Record       *record.Report `json:"record,omitempty"`        // of the seal
	ObjectRecord *record.Report `json:"object_record,omitempty"` // of the object that a proof is about
}

// answerSealed answers for a seal and, if its signatures hold, for its record. Without a record it is as good
// as the seal.
func answerSealed(c *invocation, r *seal.Report, file []byte, trusted *sealkey.Trust) *reply {
	in := sealInput{file: file, report: r}
	unread := in.readSeal(c, trusted)
	switch {
	case unread != nil:
		return c.answerRecords(r, unread, nil)
	case r.Seal == nil:
		return c.answerSeal(r, withName(text.Seal, c.Args[0]))
	}
	in.options.Revocation = c.readRevocation()
	in.compareObjects(c)
	made := record.Verify(in.subject, in.record, in.options)
	made.Pending = fileExists(c.Args[0] + requestSuffix)
	return c.answerRecords(r, made, nil)
}

// compareObjects computes the trees of the record over the objects: from the data if that is named, else from
// the lists of leaves. Of the first chain the list will do for the data, which was compared with it.
func (in *sealInput) compareObjects(c *invocation) {
	named := len(c.Args) > 1 && in.report.Verdict == outcome.Verified
	if in.record == nil || !in.record.Ours() {
		in.options.DataRead = named && in.record == nil
		return
	}
	hashes := in.record.ChainHashes()
	if named && (len(hashes) > 1 || in.report.Examined.Leaves == 0) {
		in.readObjects(c, hashes, nil)
		return
	}
	lists := c.openLists(len(hashes))
	if lists == nil || in.report.Examined.Leaves == 0 {
		return
	}
	inventory, err := record.ReadLists(hashes, lists)
	malformed, spelled := new(timestamp.Fault), new(seal.LeavesError)
	switch {
	case errors.As(err, &malformed):
		in.options.Found = append(in.options.Found, finding.InDocument(*malformed))
	case errors.As(err, &spelled):
		in.options.Found = append(in.options.Found, spelled.Finding())
	default:
		stopOn(err)
		in.options.Forest, in.options.DataRead = record.Grow(in.record, in.file, inventory), named
	}
}

// readObjects reads the data under some hashes, and compares it with the lists of leaves that the record has from
// its second chain on. The list under the last hash is written to list, which can be nil.
func (in *sealInput) readObjects(c *invocation, hashes []timestamp.Hash, list io.Writer) *record.Inventory {
	data := record.Data{Archive: c.openArchive(c.Args[1]), Leaves: c.listedPaths()}
	inventory := mustHave(record.ReadData(c.ctx, data, hashes, list))
	for n := 2; n <= len(in.record.Chains); n++ {
		if name := c.Args[0] + record.LeavesSuffix(n); fileExists(name) {
			list := closeLater(c, mustHave(openFile(name)))
			if f := mustHave(inventory.Compare(n, list)); f != nil {
				in.options.Found = append(in.options.Found, *f)
			}
		}
	}
	in.options.Forest, in.options.DataRead = record.Grow(in.record, in.file, inventory), true
	return inventory
}

// listedPaths opens the list of leaves for its paths; nil if there is none.
func (c *invocation) listedPaths() io.Reader {
	if list := c.openLeaves(c.Args[0]); list != nil {
		return list
	}
	return nil
}

// answerRecords answers about a seal or a proof. The records of the seal and of the object can be nil. The worst
// verdict counts.
func (c *invocation) answerRecords(r *seal.Report, ofSeal, ofObject *record.Report) *reply {
	for _, one := range []*record.Report{ofSeal, ofObject} {
		if one == nil {
			continue
		}
		if r.Verdict == outcome.Verified {
			c.sayRecord(one)
		}
		r.Verdict = outcome.Worst(r.Verdict, one.Verdict)
	}
	if ofSeal != nil {
		r.Limitations = slices.DeleteFunc(r.Limitations, // the record states the basis of its time
			func(l seal.Limitation) bool { return l.Code == seal.NoToken })
	}
	a := c.answerSeal(r, func(*seal.Report) *answer.Doc {
		return text.SealAndRecords(r, ofSeal, ofObject, safetext.Quote(c.Args[0]))
	})
	a.json = sealAnswer{r, ofSeal, ofObject}
	return a
}
