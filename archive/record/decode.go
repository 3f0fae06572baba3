package record

import (
	"bytes"
	"fmt"
	"slices"

	"golang.org/x/crypto/cryptobyte"
	asn1tag "golang.org/x/crypto/cryptobyte/asn1"

	"github.com/svc-edge/svc-verify/archive/timestamp"
	"github.com/svc-edge/svc-verify/finding"
)

// Bounds on a record: a renewal a month for twenty years, and trees of 2^64 leaves.
const (
	MaxRecord = 64 << 20 // bytes
	MaxStamps = 256      // of all chains
	maxLists  = 64       // of a time stamp
)

// malformed is a record that has not its form: evidence, not a fault of the machine.
func malformed(path, expected, found string) error {
	f := timestamp.Fault(finding.At(RecordMalformed, path, expected, found))
	return &f
}

// Looks reports whether a file may be a record: a SEQUENCE in DER that begins with a
// version.
func Looks(file []byte) bool {
	s := cryptobyte.String(file)
	var tag, length byte
	return s.ReadUint8(&tag) && tag == byte(asn1tag.SEQUENCE) && s.ReadUint8(&length) && length > 0x80 &&
		s.Skip(int(length&0x7f)) && bytes.HasPrefix(s, []byte{2, 1, version})
}

// Parse reads a record (SPEC 17.2). An error is a [timestamp.Fault].
func Parse(der []byte) (*Record, error) {
	if len(der) > MaxRecord {
		return nil, malformed("record", fmt.Sprintf("at most %d bytes", MaxRecord), fmt.Sprint(len(der)))
	}
	s := cryptobyte.String(bytes.Clone(der))
	var body, algorithms, sequence cryptobyte.String
	var number int
	if !s.ReadASN1(&body, asn1tag.SEQUENCE) || !s.Empty() || !body.ReadASN1Integer(&number) || number != version ||
		!body.ReadASN1(&algorithms, asn1tag.SEQUENCE) {
		return nil, malformed("record", "an EvidenceRecord of version 1 in DER", "something else")
	}
	listed, err := parseHashes(algorithms)
	if err != nil {
		return nil, err
	}
	if !skipAttributes(&body, tagCrypto) { // protected by nothing, and not used
		return nil, malformed("record/cryptoInfos", "a list of attributes", "something else")
	}
	if !body.ReadASN1(&sequence, asn1tag.SEQUENCE) || !body.Empty() {
		return nil, malformed("record", "a sequence of chains, over objects that are not encrypted", "something else")
	}
	r := &Record{}
	for !sequence.Empty() {
		if err := r.parseChain(&sequence); err != nil {
			return nil, err
		}
	}
	if len(r.Chains) == 0 {
		return nil, malformed("record/archiveTimeStampSequence", "a chain", "none")
	}
	for _, h := range r.Hashes() {
		if !slices.Contains(listed, h) {
			return nil, malformed("record/digestAlgorithms", string(h), fmt.Sprint(listed))
		}
	}
	return r, nil
}

// skipAttributes skips a list of attributes if there is one, and reports whether it has its
// form.
func skipAttributes(s *cryptobyte.String, tag asn1tag.Tag) bool {
	var list, one, id, values cryptobyte.String
	there := false
	if !s.ReadOptionalASN1(&list, &there, tag) || there && list.Empty() {
		return false
	}
	for !list.Empty() {
		if !list.ReadASN1(&one, asn1tag.SEQUENCE) || !one.ReadASN1(&id, asn1tag.OBJECT_IDENTIFIER) ||
			!one.ReadASN1(&values, asn1tag.SET) || !one.Empty() {
			return false
		}
	}
	return true
}

// parseHashes reads the digest algorithms of a record. Names that are not known are
// skipped.
func parseHashes(list cryptobyte.String) (all []timestamp.Hash, err error) {
	for n := 0; !list.Empty(); n++ {
		var one cryptobyte.String
		if n == MaxStamps || !list.ReadASN1(&one, asn1tag.SEQUENCE) {
			return nil, malformed("record/digestAlgorithms", "a list of algorithms", "something else")
		}
		all = append(all, timestamp.ParseHash(one))
	}
	return all, nil
}

// parseChain reads the next chain, and adds it.
func (r *Record) parseChain(sequence *cryptobyte.String) error {
	var element, list cryptobyte.String
	path := fmt.Sprintf("chain %d", len(r.Chains)+1)
	if !sequence.ReadASN1Element(&element, asn1tag.SEQUENCE) {
		return malformed(path, "a chain of time stamps", "something else")
	}
	c := Chain{der: element}
	whole := element
	if !whole.ReadASN1(&list, asn1tag.SEQUENCE) || list.Empty() {
		return malformed(path, "a chain of time stamps", "something else")
	}
	for !list.Empty() {
		at := fmt.Sprintf("time stamp %d", r.Stamps()+len(c.Stamps)+1)
		if r.Stamps()+len(c.Stamps) == MaxStamps {
			return malformed(at, fmt.Sprintf("at most %d time stamps", MaxStamps), "more")
		}
		var one cryptobyte.String
		if !list.ReadASN1(&one, asn1tag.SEQUENCE) {
			return malformed(at, "an ArchiveTimeStamp", "something else")
		}
		stamp, h, err := parseStamp(one, at)
		if err != nil {
			return err
		}
		if len(c.Stamps) > 0 && h != c.Hash {
			return malformed(at, "the hash of its chain, "+string(c.Hash), string(h))
		}
		c.Hash, c.Stamps = h, append(c.Stamps, stamp)
	}
	r.Chains = append(r.Chains, c)
	return nil
}

// parseStamp reads an ArchiveTimeStamp. The imprint has the same hash.
func parseStamp(s cryptobyte.String, path string) (one Stamp, h timestamp.Hash, err error) {
	var content cryptobyte.String
	named := false
	if !s.ReadOptionalASN1(&content, &named, tagHash) {
		return one, "", malformed(path+"/digestAlgorithm", "an algorithm", "something else")
	}
	if h = timestamp.ParseHash(content); named && h == "" {
		return one, "", malformed(path+"/digestAlgorithm", "one of the SHA-2 or SHA-3 functions", "something else")
	}
	if !skipAttributes(&s, tagAttributes) { // not judged
		return one, "", malformed(path+"/attributes", "a set of attributes", "something else")
	}
	if one.Lists, err = parseLists(&s, path+"/reducedHashtree"); err != nil {
		return one, "", err
	}
	token, fault := timestamp.ParseStored(s)
	if fault != nil {
		fault.Path = path + ": " + fault.Path
		return one, "", fault
	}
	if named && h != token.Hash {
		return one, "", malformed(path+"/timeStamp", "an imprint under "+string(h), string(token.Hash))
	}
	one.Token = token
	return one, token.Hash, nil
}

// parseLists reads a reduced hash tree; nil if there is none.
func parseLists(s *cryptobyte.String, path string) (lists [][][]byte, err error) {
	var all cryptobyte.String
	there := false
	if !s.ReadOptionalASN1(&all, &there, tagTree) || there && all.Empty() {
		return nil, malformed(path, "lists of hashes", "something else")
	}
	for !all.Empty() {
		var list, one cryptobyte.String
		var hashes [][]byte
		if len(lists) == maxLists || !all.ReadASN1(&list, asn1tag.SEQUENCE) || list.Empty() {
			return nil, malformed(path, fmt.Sprintf("at most %d lists of hashes", maxLists), "something else")
		}
		for !list.Empty() {
			if !list.ReadASN1(&one, asn1tag.OCTET_STRING) {
				return nil, malformed(path, "lists of hashes", "something else")
			}
			hashes = append(hashes, one)
		}
		lists = append(lists, hashes)
	}
	return lists, nil
}
