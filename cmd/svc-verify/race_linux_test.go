//go:build race

package main

// raceFactor is how much more the race detector lets a command cost.
const raceFactor = 10
