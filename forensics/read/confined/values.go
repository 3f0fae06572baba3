package confined

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"time"

	"github.com/svc-edge/svc-verify/forensics/read/rows"
)

// appendMembers appends members to an object, ascending by their names.
func appendMembers(t *rows.Text, members map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(members)) {
		t.Name([]byte(name))
		appendValue(t, members[name])
	}
}

// appendValue appends a value that a library returned.
func appendValue(t *rows.Text, v any) {
	switch v := v.(type) {
	case nil:
		t.Null()
	case bool:
		t.Bool(v)
	case int32:
		t.Int(int64(v))
	case int64:
		t.Int(v)
	case float32:
		t.Float(float64(v))
	case float64:
		t.Float(v)
	case string:
		t.String([]byte(v))
	case []byte:
		t.Octets(v)
	case time.Time:
		t.Time(v.Unix(), int64(v.Nanosecond()))
	case time.Duration:
		t.Int(int64(v))
	case *big.Rat:
		t.String([]byte(v.FloatString(38)))
	case []any:
		t.Begin('[')
		for _, one := range v {
			appendValue(t, one)
		}
		t.End(']')
	case map[string]any:
		appendObject(t, v)
	default:
		t.String(fmt.Append(nil, v))
	}
}

// appendObject appends an object, or the value of a union.
func appendObject(t *rows.Text, v map[string]any) {
	for name, one := range v {
		if len(v) == 1 && unionName(name) {
			appendValue(t, one)
			return
		}
	}
	t.Begin('{')
	appendMembers(t, v)
	t.End('}')
}
