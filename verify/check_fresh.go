package verify

import (
	"slices"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/trust"
)

const createdAt = "/checkpoint/statement/created_at"

type receipt = trust.Opened[bundle.WitnessReceipt]

func newestFirst(receipts []receipt) []receipt {
	return slices.SortedFunc(slices.Values(receipts), func(a, b receipt) int {
		return b.Statement.WitnessedAt.Compare(a.Statement.WitnessedAt)
	})
}
