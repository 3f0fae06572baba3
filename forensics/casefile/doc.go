// Package casefile has the types in which evidence comes into a case, and in which it is asked
// for. Package store keeps it.
package casefile
