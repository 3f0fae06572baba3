package finding

// The codes of what is wrong with a bag of BagIt (RFC 8493).
const (
	BagMalformed   Code = "bag.malformed"
	BagUnsupported Code = "bag.unsupported"
	BagName        Code = "bag.name"
	BagCollision   Code = "bag.collision"
	BagSpecial     Code = "bag.special"
	BagDuplicate   Code = "bag.duplicate"
	BagAltered     Code = "bag.altered"
	BagMissing     Code = "bag.missing"
	BagUnlisted    Code = "bag.unlisted"
	BagOxum        Code = "bag.oxum"
	BagHole        Code = "bag.hole"
	BagUnreadable  Code = "bag.unreadable"
	BagLimit       Code = "bag.limit"
	BagEmpty       Code = "bag.empty"
)

// The codes of an export of an archive.
const (
	ExportDiffers    Code = "export.differs"
	ExportMissing    Code = "export.missing"
	ExportUnknown    Code = "export.unknown"
	ExportUnreadable Code = "export.unreadable"
	ExportName       Code = "export.name"
)

// recheck is what to do about an archive that is not as its ledger has it.
const recheck = "svc-verify archive check DIR --ledger FILE --trust TRUST: what became of the object. Then export " +
	"again."

// resend is what to do about most of what is wrong with a bag.
const resend = "Ask the sender for the bag again, and keep this one as it is."

var bags = []Entry{
	{Code: BagMalformed, Severity: High, Subject: Source,
		Sentence: "a tag file of the bag breaks the rules of BagIt",
		Contrast: "{found}",
		Arises:   "A tag file is missing, has a line that means nothing, has a byte-order mark, or is not UTF-8.",
		Next:     resend},
	{Code: BagName, Severity: High, Subject: Source,
		Sentence: "a name leads out of the bag, or would on some systems",
		Contrast: "{found}",
		Arises: "A name is absolute, climbs with two dots, begins with a tilde or a drive letter, or has a " +
			"backslash. Unpacking or copying by such a name can write anywhere. The file is not opened.",
		Next: "Do not unpack the bag with other programs. " + resend},
	{Code: BagCollision, Severity: High, Subject: Source,
		Sentence: "two names are one for some file systems",
		Contrast: "{found}",
		Arises: "The names differ only in case or in the form of Unicode, or a file has the name of a folder. " +
			"A copy on such a file system loses one of them.",
		Explanations: []string{"The bag was made on a system that keeps both."},
		Next:         "Ask the sender to rename one."},
	{Code: BagSpecial, Severity: High, Subject: Source,
		Sentence: "there is something else than a file or a folder in the bag",
		Contrast: "{found}",
		Arises:   "It is a link, a device, a pipe, or a file with holes in an archive. It is not followed or opened.",
		Next:     resend},
	{Code: BagDuplicate, Severity: High, Subject: Source,
		Sentence: "a name occurs twice",
		Contrast: "{found}",
		Arises: "A manifest lists a file twice, or an archive has two members of one name. " +
			"Programs differ in which one they use.",
		Next: resend},
	{Code: BagAltered, Severity: High, Subject: Source,
		Sentence:     "a file does not have its digest",
		Contrast:     "{found}",
		Arises:       "The octets of the file are others than those that a manifest has the digest of.",
		Explanations: []string{"The file was damaged on the way.", "A program changed line ends while copying."},
		Next:         resend},
	{Code: BagMissing, Severity: High, Subject: Source, Bearing: Completeness,
		Sentence:     "a listed file is not there",
		Contrast:     "{found}",
		Arises:       "A manifest lists the file, and the bag does not have it.",
		Explanations: []string{"The copy broke off.", "The copy changed the form of Unicode of the name."},
		Next:         resend},
	{Code: BagUnlisted, Severity: High, Subject: Source, Bearing: Completeness,
		Sentence:     "a file of the payload is in no manifest, or not in every one",
		Contrast:     "{found}",
		Arises:       "Someone or some program put the file there after the bag was made.",
		Explanations: []string{"A file manager left a file of its own, such as .DS_Store or Thumbs.db."},
		Next:         "Find out where it comes from. Remove it only if it does not belong to the archive."},
	{Code: BagOxum, Severity: High, Subject: Source, Bearing: Completeness,
		Sentence: "the payload is not as large as bag-info.txt says",
		Contrast: "{found}",
		Arises:   "Payload-Oxum has another number of octets or files than the bag.",
		Next:     resend},
	{Code: BagHole, Severity: Medium, Effect: LeavesOpen, Subject: Source, Bearing: Completeness,
		Sentence: "a file is to be fetched, and is not there",
		Contrast: "{found}",
		Arises:   "The bag has the file in fetch.txt only. Nothing is ever fetched.",
		Next:     "Ask the sender for a whole bag, or put the file there yourself and check again."},
	{Code: BagUnsupported, Severity: Medium, Effect: LeavesOpen, Subject: Source,
		Sentence: "the bag may be good, but is of a kind that is not read",
		Contrast: "{found}",
		Arises: "Its version is not 0.97 or 1.0, its tag files are not in UTF-8, or its digests are none of " +
			"SHA-512, SHA-256, SHA-1 and MD5.",
		Next: "Ask for a bag of version 1.0 with manifest-sha512.txt."},
	{Code: BagUnreadable, Severity: Medium, Effect: LeavesOpen, Subject: Source,
		Sentence: "a file could not be read",
		Contrast: "{found}",
		Arises:   "It may not be read, vanished while the bag was read, or the medium is failing.",
		Next:     "Check again from another copy."},
	{Code: BagLimit, Severity: Medium, Effect: LeavesOpen, Subject: Source,
		Sentence: "the bag is larger than what is read",
		Contrast: "{found}",
		Arises:   "It has more files, larger tag files, or deeper folders than the limits.",
		Next:     "Split the bag."},
	{Code: BagEmpty, Severity: Medium, Effect: LeavesOpen, Subject: Source,
		Sentence: "the bag has no payload",
		Contrast: "{found}",
		Arises:   "There is no file below data/.",
		Next:     "A check that read nothing is no success. Ask the sender what was to be handed over."},
	{Code: ExportDiffers, Severity: High, Subject: Source,
		Sentence: "the object is not as the ledger has it",
		Contrast: "{found}",
		Arises:   "The octets of the object are others than those that were read last, so no bag was written.",
		Next:     recheck},
	{Code: ExportMissing, Severity: High, Subject: Source, Bearing: Completeness,
		Sentence: "the ledger has the object, and the archive does not",
		Contrast: "{found}",
		Arises:   "The object was removed or moved since it was read last, so no bag was written.",
		Next:     recheck},
	{Code: ExportUnknown, Severity: High, Subject: Source, Bearing: Completeness,
		Sentence: "the archive has the object, and the ledger does not",
		Contrast: "{found}",
		Arises:   "The object was added since the last check, so no bag was written.",
		Next:     recheck},
	{Code: ExportUnreadable, Severity: Medium, Effect: LeavesOpen, Subject: Source,
		Sentence: "the object could not be read",
		Contrast: "{found}",
		Arises:   "It may not be read, is a link or no file, or the medium is failing. No bag was written.",
		Next:     recheck},
	{Code: ExportName, Severity: High, Subject: Source,
		Sentence: "the object cannot be in a bag under its name",
		Contrast: "{found}",
		Arises: "The name is not UTF-8, has a percent sign, a control or format character, a backslash or space " +
			"at its end, or some systems take it for the name of another object. Programs for bags read such " +
			"names in different ways. No bag was written.",
		Next: "Rename the object, check the archive, and export again; or copy the archive as it is, with its ledger."},
}

// OfBags returns the entries of the codes of bags.
func OfBags() Registry { return NewRegistry(bags) }
