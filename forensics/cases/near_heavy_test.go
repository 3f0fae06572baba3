//go:build heavy

package cases

import (
	"fmt"
	"testing"
)

// TestNearMisses plays every near miss, which must lead to nothing but what the
// table says.
func TestNearMisses(t *testing.T) {
	done := map[string]bool{}
	for _, x := range fixtures() {
		exam := x.nearExam()
		key := exam.key() + x.near + fmt.Sprint(x.nearAlso)
		if done[key] {
			continue
		}
		done[key] = true
		t.Run(exam.scene+" "+x.near+" for "+string(x.code), func(t *testing.T) {
			_, found := exam.after(t, x.near)
			expectCodes(t, found, x.nearAlso)
		})
	}
}
