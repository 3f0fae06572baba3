package store

// Standing is how far a case is trusted. Anyone who can write to the file can
// change it, so derived data in it proves nothing by itself.
type Standing int

// The standings of a case, from the least.
const (
	// Unknown: the key does not vouch for the evidence. It was checked when the
	// case was opened: every column that follows from an event's bytes was
	// derived from them again. The maker of the case could choose the other
	// columns, and leave out rows.
	Unknown Standing = iota

	// Checked: the case passed the same check under this key earlier, and only
	// writers under this key have changed the evidence since.
	Checked

	// Made: all evidence was added by writers under this key.
	Made

	// Interrupted is Unknown after a writer under this key ended before the key could vouch
	// for its work: nothing shows whether anyone changed the case since.
	Interrupted

	// Resumed is Checked, of a case that was Interrupted.
	Resumed
)
