package producers

// keeps is what a program keeps of the lines that it is given.
type keeps int

const (
	octets keeps = iota // every octet, behind whatever escapes
	values              // the values of the JSON, in another spelling or order
	less                // some events not whole; loses says which
	broken              // lines that are broken over others, or respelled by rules of its own
	sealed              // all of it, in a form that is only named; loses says what reads it
)

// cut is how a file is cut for the third variant of a row.
type cut int

const (
	atEvent cut = iota // within an event, whose signature is there in the clear
	inside             // after three fifths of the file: no event may be whole
	never              // the form is no single file, or what is cut of it is no evidence
)

// form is one form in which one program hands out a journal.
type form struct {
	name  string
	run   string // a script: reads the file $IN, writes below $OUT
	keeps keeps
	lost  int    // how many events are not whole
	loses string // what is lost, or how it is read, in one sentence
	cut   cut
}
