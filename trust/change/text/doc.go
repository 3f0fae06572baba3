// Package text renders what differs between two trust files for people.
package text
