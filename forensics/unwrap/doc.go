// Package unwrap finds events in any surrounding text.
//
// An event authenticates itself: however it is wrapped, its hash and signature
// tell whether it came back unchanged. So a text is searched for JSON objects that
// have the members of an event (SPEC 4.2), a bundle (SPEC 7) or a signed statement
// (SPEC 3.1), whatever is before, between and behind them.
//
// # Layers
//
// Stores write text within text. The value of "protocol" keeps its letters in nearly every way
// of writing, and the bytes between it and its name show which layer was written last:
// backslashes, doubled quotes, references of XML, percent codes and others. That layer is
// undone and the result is searched again, to [MaxLevels]. Runs of base16, base32, base45, base64
// and base85 digits, uuencode, numbers, dumps, mappings of YAML, UTF-16 and typed JSON are decoded
// as a whole; lines of digits by themselves first, and then together. Digits and numbers can have
// the same text between any two. In texts in which nothing is found, [Undecoded] finds digits, and
// [Strange] finds enough for an event of an unknown code.
//
// A record over several lines can have a margin: marks of quotation or of comments, numbers,
// times, names, or quotes of literals around each line. Lines with a margin that are shorter
// than an event are read without it, if there is something true in them then.
//
// Some layers leave quotation marks as they are, so that an event seems to stand there
// as it is: doubled backslashes or apostrophes, escaped brackets, folded lines. They
// are tried where a hash does not hold. The reading whose hash holds is taken, and
// otherwise the least decoded one that is an event. A reading that joins lines counts
// only if its hash holds, as anything can have stood at the break.
//
// # Rows
//
// The members of an event can follow each other: in cells of a table, behind their
// names, in an INSERT. The body is an object. Three digests, a signature and the id
// of a key are around it, and the hash shows which digest is which, whatever a store
// writes between them. A row whose hash does not hold is an altered event if the text
// between its values is the same as in another row, and pieces of one otherwise.
//
// # Names
//
// Where pieces are left, members are looked for by their names: of an event, of its body, and of
// its data, with any text between a name and its value. An event that is put together of them
// counts only if its hash holds: a store can lose members.
//
// The outermost object counts. Nothing within an event, a bundle or a statement is
// searched.
//
// # Cost
//
// A text is looked at a bounded number of times, whatever it holds: text that exceeds that, or
// [MaxLevels], is reported as pieces that were not read. Memory is a small multiple of the
// text, one decoded text for each level.
package unwrap
