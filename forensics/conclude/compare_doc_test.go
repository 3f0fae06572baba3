// These tests compare conclusions from parts with the answer of one machine.
//
// For every scene and script of the findings' coverage, every script of
// package harness/tamper, every ordinary layout and every third form in which products hand
// out lines, the evidence is ingested into one case and examined: that is the answer. The same
// evidence is then read in shares, cut by plans and in groups of files; the parts are joined
// in random groups and orders, some of them twice, in memory and through files; and the
// conclusion must be the answer, to the byte. If a part of a plan is lost, the conclusion is
// open and names it.
//
// A failure prints its join and the seed. So many are tried as
//
//	go test ./forensics/conclude -joins 10000 -seed 1
//
// asks for, each time the same ones.

package conclude_test
