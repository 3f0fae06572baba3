// Package facts has what one event and one document of the evidence are worth, each as
// one type that everything above it shares.
//
// A store, be it a case or the records of a part, says of an event where it stands, what
// it says and how it was judged under one trust file. Rules read that. None of them
// changes it into something of its own.
package facts
