package finding

import (
	"fmt"
	"slices"
	"strings"
)

// parseBlock reads a block: the defaults of its group, and the code's own lines. It is strict.
func (x *index) parseBlock(i int) (Entry, error) {
	b := &x.blocks[i]
	g := &x.groups[b.group]
	e := Entry{Code: b.code, Group: g.Name, Order: i, Subject: Log, Bearing: Integrity}
	if err := x.setLines(&e, g.lines, g.line+1); err != nil {
		return e, err
	}
	if err := x.setLines(&e, b.lines, b.line+1); err != nil {
		return e, err
	}
	if e.Severity == "" || e.Effect == "" || e.Sentence == "" || e.Next == "" || len(e.constants) == 0 {
		return e, fmt.Errorf("line %d: %s lacks a severity, an effect, a sentence, a next step or a constant", b.line, b.code)
	}
	return e, nil
}

// setLines sets the values of an entry that lines have.
func (x *index) setLines(e *Entry, lines string, line int) error {
	var seen []string
	for lines != "" {
		pair, rest, _ := strings.Cut(lines, "\n")
		n := 1
		for ; strings.HasPrefix(rest, " "); n++ {
			var more string
			more, rest, _ = strings.Cut(rest, "\n")
			pair += " " + strings.TrimLeft(more, " ")
		}
		key, value, ok := strings.Cut(pair, ": ")
		if !ok || key != "perhaps" && slices.Contains(seen, key) {
			return fmt.Errorf("line %d: %s has no value, or occurs twice", line, key)
		}
		seen = append(seen, key)
		value, err := x.expandNames(value)
		if err == nil {
			err = e.setValue(key, value)
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", line, err)
		}
		lines, line = rest, line+n
	}
	return nil
}

// expandNames puts shared texts in the place of their names.
func (x *index) expandNames(value string) (string, error) {
	before, rest, found := strings.Cut(value, "$")
	if !found {
		return value, nil
	}
	end := strings.IndexFunc(rest, func(r rune) bool { return r != '-' && (r < 'a' || r > 'z') })
	if end < 0 {
		end = len(rest)
	}
	_, shared, ok := strings.Cut(x.shared, "\n$"+rest[:end]+": ")
	if !ok {
		return "", fmt.Errorf("there is no text $%s", rest[:end])
	}
	shared, more, _ := strings.Cut(shared, "\n")
	for strings.HasPrefix(more, " ") {
		var line string
		line, more, _ = strings.Cut(more, "\n")
		shared += " " + strings.TrimLeft(line, " ")
	}
	rest, err := x.expandNames(rest[end:])
	return before + shared + rest, err
}

// setValue sets one value.
func (e *Entry) setValue(key, value string) error {
	switch key {
	case "const":
		e.constants = strings.Fields(value)
	case "was":
		for old := range strings.FieldsSeq(value) {
			e.Was = append(e.Was, Code(old))
		}
	case "check":
		e.Checks = strings.Fields(value)
	case "rule":
		e.Spec = value
	case "says":
		e.Sentence = value
	case "contrast":
		e.Contrast = value
	case "arises":
		e.Arises = value
	case "perhaps":
		e.Explanations = append(e.Explanations, value)
	case "next":
		e.Next = value
	case "counts":
		e.Counts = Code(value)
	default:
		return e.setChoice(key, value)
	}
	return nil
}

// setChoice sets one value that must be one of a list.
func (e *Entry) setChoice(key, value string) error {
	known := value == "yes"
	switch key {
	case "severity":
		known = setKnown(&e.Severity, value, Critical, High, Medium, Info, "warning")
	case "effect":
		known = setKnown(&e.Effect, value, Rejects, LeavesOpen, None)
	case "blames":
		known = setKnown(&e.Subject, value, Log, Source)
	case "bears":
		known = setKnown(&e.Bearing, value, Integrity, Completeness)
	case "mark":
		known = setKnown(&e.Mark, value, Altered, Unverified, Forked, Contradicted, BadCopy)
	case "merge":
		known = setKnown(&e.Merge, value, Neighbours, NeighboursByKey, SameKey, SameRange)
	case "sign":
		known = setKnown(&e.SignOf, value, Unread, Loss, Alteration, Deletion, NotCollected, BesideJournal, NodeKeyMisuse,
			AuditKeyMisuse, KeyMisuse, RecordDispute)
	case "about":
		known = setKnown(&e.About, value, Events, Copies, Links, Reports, Anchors, Bundles)
	case "defect":
		known = setKnown(&e.Defect, value, WrongHash, WrongSignature, UnknownKey, OthersKey, OtherHistory, CutShort)
	case "lacks":
		known = setKnown(&e.Lacks, value, EventsBetween, EventsAtHead, EventsAtTail, WholeLog, InStore, InJournal, InBatch,
			RecordOf, AnchorOf)
	case "hides":
		known = setKnown(&e.Hides, value, HidesSpan, HidesNothing)
	case "elsewhere":
		e.Elsewhere = known
	case "open":
		e.Open = known
	case "foreign":
		e.Foreign = known
	default:
		return fmt.Errorf("unknown key %s", key)
	}
	if !known {
		return fmt.Errorf("%s cannot be %q", key, value)
	}
	return nil
}

// setKnown sets a value if it is one of those that are known.
func setKnown[T ~string](to *T, value string, known ...T) bool {
	*to = T(value)
	return slices.Contains(known, T(value))
}
