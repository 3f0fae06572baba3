package secretstore

import (
	"testing"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/form"
)

// A state is kept in this form.
func TestStateIsKept(t *testing.T) {
	pointer := func(active string) string {
		return `{"active":"` + active + `","active_sha256":"` + seal.SHA256(nil) + `","generation":` +
			active[len(active)-1:] + `,"protocol":"svc.store-kv-pointer.v1","updated_at":"2026-03-02T09:00:00.000Z"}`
	}
	first := `{"generations":{},"integration_id":"","next_slot":1,"release_at":"","stamp":""}`
	kept := `{"generations":{"slot-000002":{"certificate_sha256":"a","created":"b","digest":"c","version":1}},` +
		`"integration_id":"store-1","move":{"cas":4,"purpose":"promote","to":` + pointer("slot-000002") + `},"next_slot":3,` +
		`"pointer":{"created":"d","record":` + pointer("slot-000001") + `,"version":4},"release_at":"e",` +
		`"rotation":{"before":` + pointer("slot-000001") + `,"certificate_sha256":"a","created_at":"f","digest":"c",` +
		`"error_code":"","moved":true,"phase":"promoting","revision":1,"slot":2,"target":` + pointer("slot-000002") +
		`,"transaction_id":"g"},"stamp":"h"}`
	for _, text := range []string{first, kept} {
		s := must.Get(restoreState(must.Get(seal.Parse([]byte(text)))(t)))(t)
		check.Equal(t, string(seal.Canonical(form.Document(s))), text, "the state")
	}
}
