//go:build !race

package main

// raceFactor is how much more the race detector lets a command cost: it is not here.
const raceFactor = 1
