// Package forge makes bad evidence out of good.
//
// Each file is one level, and uses the levels below it:
//
//	bytes      bytes, text and DER
//	document   members and elements at JSON pointers
//	statement  signatures, by the right key and by others
//	event      one event of a log
//	bundle     a bundle, its certificates and the log that it shows
//	log        a whole log, continued or written again by the holder of its key
//	files      the files and stores of a fleet, in package store below
//
// A change in one part of a bundle makes every digest wrong that commits to
// it, and every signature over those digests. [Bundle.Reseal] sets them right,
// from the innermost part to the witnesses, so that only the change itself can
// be found. It does what an attacker with every private key of a scene can do.
// For an attacker with fewer keys, pass fewer, or change the result again.
package forge
