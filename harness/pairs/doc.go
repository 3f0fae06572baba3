// Package pairs plants contradictions: pairs of bundles that both verify, and that cannot both
// be about one honest log and issuer. There are also near misses, which honest parties make.
//
// It acts as all key holders of a scene could act together.
package pairs
