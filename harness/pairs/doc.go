// Package pairs plants contradictions: pairs of bundles that both verify, and
// that cannot both be about one honest log and issuer. Beside each there are
// near misses, which honest parties make.
//
// It does what the holders of all keys of a scene can do together.
package pairs
