package verify

import (
	"bytes"
	"crypto/sha256"
	"slices"
	"strconv"
	"strings"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

func digestOf(b []byte) bundle.Hash { return sha256.Sum256(b) }

func number[T ~int | ~int64 | ~uint64](v T) string { return strconv.FormatInt(int64(v), 10) }

func atLeast(n int64, what string) string { return "at least " + safetext.Count(n, what) }

// wordSet returns the distinct words in ascending order.
func wordSet(words []string) []string { return slices.Compact(slices.Sorted(slices.Values(words))) }

// sameSet compares two lists as sets.
func sameSet(a, b []bundle.Hash) bool {
	return slices.Equal(slices.Compact(sortedWords(a)), slices.Compact(sortedWords(b)))
}

func sortedWords(list []bundle.Hash) []bundle.Hash {
	return slices.SortedFunc(slices.Values(list), func(a, b bundle.Hash) int { return bytes.Compare(a[:], b[:]) })
}

// joinDigests lists digests in ascending order.
func joinDigests(list []bundle.Hash) string {
	words := make([]string, len(list))
	for i, h := range sortedWords(list) {
		words[i] = h.String()
	}
	return strings.Join(words, ", ")
}
