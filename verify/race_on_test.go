//go:build race

package verify_test

// raceEnabled: under the race detector everything takes ten times as long.
const raceEnabled = true
