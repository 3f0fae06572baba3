package walktest

import (
	"slices"
	"sync"
	"time"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/harness/forge"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// someHistories are a few worlds of different lengths, made once.
var someHistories = sync.OnceValue(func() []*World {
	var all []*World
	for i, rounds := range []int{1, 3, 8, 20} {
		all = append(all, History(uint64(i+1), rounds))
	}
	return all
})

// far is how far beyond its log a forged event is put.
const far = 1_000_000_000_000_000

// damage does a random damage to a log.
func damage(t *rapid.T, w *World) {
	l := rapid.SampledFrom([]facts.Log{TenantLog, Berlin, Oslo}).Draw(t, "log")
	if len(w.Copies[l]) == 0 {
		return
	}
	i := rapid.IntRange(0, len(w.Copies[l])-1).Draw(t, "at")
	n := rapid.IntRange(1, min(6, len(w.Copies[l])-i)).Draw(t, "events")
	key := w.Keys[rapid.SampledFrom([]string{"berlin", "oslo", "oslo/2", "audit-1", "stranger"}).Draw(t, "key")]
	changes := []func(seal.Object){forge.AlterSalt, forge.AlterHash("hash"), forge.AlterHash("previous_hash"),
		forge.AlterHash("skip_hash"), forge.AlterSignature, forge.RenameKey(key.ID), forge.Shift(-400 * time.Second),
		func(seal.Object) {}, forge.Resequence(rapid.SampledFrom([]int64{1, 2, 9, 40, far}).Draw(t, "further"))}
	change := changes[rapid.IntRange(0, len(changes)-1).Draw(t, "change")]
	switch rapid.IntRange(0, 12).Draw(t, "damage") {
	case 0:
		w.Remove(l, i, n)
	case 1:
		w.Alter(l, i, change)
	case 2:
		w.Alter(l, i, forge.Rehash(change))
	case 3:
		w.Alter(l, i, forge.Resign(key, change))
	case 4:
		w.AddAltered(l, i, change)
	case 5:
		w.AddAltered(l, i, forge.Resign(key, change))
	case 6:
		w.Copies[l][i].Lossy = true
		w.Alter(l, i, forge.AlterSalt)
	case 11, 12:
		w.AddAltered(l, i, forge.Spoil)
		last := len(w.Copies[l]) - 1
		w.Copies[l][last].Lossy = true
		if rapid.Bool().Draw(t, "altered as well") {
			w.Alter(l, last, change)
		}
	case 7:
		w.Copies[l] = append(w.Copies[l], w.Copies[l][i:i+n]...)
	case 8:
		slices.Reverse(w.Copies[l][i : i+n])
	case 9:
		other := rapid.SampledFrom([]facts.Log{TenantLog, Berlin, Oslo}).Draw(t, "other")
		if len(w.Copies[other]) > 0 {
			o := seal.CloneObject(w.Copies[other][min(i, len(w.Copies[other])-1)].Object)
			seal.Member(o, "body")["log_id"] = l.LogID
			w.Copies[l] = append(w.Copies[l], Copy{Object: o})
		}
	case 10:
		made := w.Forge(l, n, key)
		w.Copies[l] = append(w.Copies[l], made[rapid.IntRange(0, n-1).Draw(t, "without"):]...)
	}
}

// rewriteSome forks a sound log, or signs its tail again.
func rewriteSome(t *rapid.T, w *World) {
	l := rapid.SampledFrom([]facts.Log{TenantLog, Berlin, Oslo}).Draw(t, "log")
	i := rapid.IntRange(0, len(w.Copies[l])-1).Draw(t, "from")
	made := w.Rewrite(l, i, len(w.Copies[l])-i, forge.AlterSalt)
	if rapid.Bool().Draw(t, "fork") {
		n := rapid.IntRange(1, len(made)).Draw(t, "length")
		w.Copies[l] = append(w.Copies[l], made[:n]...)
		return
	}
	w.Copies[l] = slices.Concat(w.Copies[l][:i], made)
}

// DamagedWorld draws a history with a few damages.
func DamagedWorld(t *rapid.T) *World {
	w := *someHistories()[rapid.IntRange(0, 3).Draw(t, "history")]
	w.Evidence = w.Evidence.Clone()
	if rapid.Bool().Draw(t, "rewritten") {
		rewriteSome(t, &w)
	}
	for range rapid.IntRange(0, 4).Draw(t, "damages") {
		damage(t, &w)
	}
	return &w
}
