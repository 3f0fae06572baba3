package query

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/vm"

	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/internal/form"
)

// Where is a condition on events in the language of github.com/expr-lang/expr, such as
//
//	type startsWith "approval." and data.node_id == "mesh-oslo-1"
//
// Its names are the members of an event (SPEC 4.2). It implements [store.Predicate].
type Where struct {
	program   *vm.Program
	namesData bool
	namesTime bool
	valueless atomic.Int64
	fault     atomic.Pointer[error]
}

// fields are the names in a condition. An absent transaction_id is "".
type fields struct {
	TenantID      string         `expr:"tenant_id"`
	LogID         string         `expr:"log_id"`
	Sequence      int            `expr:"sequence"`
	OccurredAt    string         `expr:"occurred_at"`
	Type          string         `expr:"type"`
	TransactionID string         `expr:"transaction_id"`
	KeyID         string         `expr:"key_id"`
	Data          map[string]any `expr:"data"`
}

// mostCondition bounds the size of a condition in bytes.
const mostCondition = 4 << 10

// ParseWhere reads conditions, which must all hold. None may ask for the time of the clock.
func ParseWhere(conditions ...string) (*Where, error) {
	var program *vm.Program
	var err error
	for i, text := range conditions {
		if len(text) > mostCondition {
			return nil, fmt.Errorf("a condition has %d bytes, and may have %d", len(text), mostCondition)
		}
		if program, err = compileCondition(text); err != nil {
			return nil, err
		}
		conditions[i] = "(" + text + ")"
	}
	if len(conditions) > 1 {
		if program, err = compileCondition(strings.Join(conditions, " and ")); err != nil {
			return nil, err
		}
	}
	names := func(name string) bool {
		return ast.Find(program.Node(), func(n ast.Node) bool { return identifierOf(n) == name }) != nil
	}
	return &Where{program: program, namesData: names("data"), namesTime: names("occurred_at")}, nil
}

func compileCondition(text string) (*vm.Program, error) {
	return expr.Compile(text, expr.Env(fields{}), expr.AsBool(), expr.DisableBuiltin("now"))
}

// OfActor is the condition on events that an operator ordered (SPEC 4.4), or that a node or a key
// wrote, or that name a node.
func OfActor(name string) string {
	quoted := strconv.Quote(name)
	return fmt.Sprintf(`key_id == %[1]s or log_id == "node/" + %[1]s or data.by == %[1]s or data.node_id == %[1]s`, quoted)
}

// Matches implements [store.Predicate]. An event for which the condition has no value, because
// a member is absent or of another kind, does not match.
func (w *Where) Matches(c store.Candidate) bool {
	f := fields{TenantID: c.Log.TenantID, LogID: c.Log.LogID, Sequence: int(c.Sequence), Type: c.Type,
		TransactionID: string(c.TransactionID), KeyID: c.KeyID}
	var matches any
	var err error
	if w.namesTime {
		f.OccurredAt = form.FormatMillis(c.OccurredAt)
	}
	if w.namesData {
		err = json.Unmarshal(c.Data, &f.Data)
	}
	if err == nil {
		matches, err = vm.Run(w.program, f)
	}
	if err != nil && w.valueless.Add(1) == 1 {
		w.fault.Store(&err)
	}
	return err == nil && matches == true
}

// Recount forgets for how many events the condition had no value, before all are asked about again.
func (w *Where) Recount() {
	w.valueless.Store(0)
}

// Valueless returns for how many events the condition had no value, and why the first had none.
func (w *Where) Valueless() (n int64, why error) {
	if n = w.valueless.Load(); n > 0 {
		if fault := w.fault.Load(); fault != nil {
			why = *fault
		}
	}
	return n, why
}

// Narrow returns a filter with the condition, and with the restrictions that follow from it
// for the log, the type, the transaction, the sequences and the text of the data. So fewer
// blocks are read, and fewer data parsed.
func (w *Where) Narrow(f store.Filter) store.Filter {
	f.Where = w
	narrowFilter(w.program.Node(), &f)
	return f
}

func narrowFilter(n ast.Node, f *store.Filter) {
	b, ok := n.(*ast.BinaryNode)
	if !ok {
		return
	}
	switch value := b.Right.(type) {
	case *ast.StringNode:
		texts := map[string]*string{"tenant_id": &f.TenantID, "log_id": &f.LogID, "type": &f.Type,
			"transaction_id": &f.TransactionID, "data.": &f.Content}
		if to := texts[placeOf(b.Left)]; b.Operator == "==" && to != nil && *to == "" {
			*to = value.Value
		}
	case *ast.IntegerNode:
		if identifierOf(b.Left) == "sequence" && value.Value > 0 {
			narrowRange(f, b.Operator, uint64(value.Value))
		}
	default:
		if b.Operator == "and" || b.Operator == "&&" {
			narrowFilter(b.Left, f)
			narrowFilter(b.Right, f)
		}
	}
}

// narrowRange narrows the sequences to those for which a comparison with a number holds.
func narrowRange(f *store.Filter, operator string, n uint64) {
	first, last := f.Bounds()
	switch operator {
	case "==":
		first, last = max(first, n), min(last, n)
	case ">=", ">":
		first = max(first, n)
	case "<=", "<":
		last = min(last, n)
	}
	if first <= last {
		f.First, f.Last = first, last
	}
}

// placeOf returns the name that a part of a condition is, or the name with a dot if it is a member
// of that, such as "data." for data.node_id.
func placeOf(n ast.Node) string {
	dot := ""
	for {
		member, ok := n.(*ast.MemberNode)
		if !ok {
			return identifierOf(n) + dot
		}
		n, dot = member.Node, "."
	}
}

// identifierOf returns the name that a part of a condition is, or "".
func identifierOf(n ast.Node) string {
	if name, ok := n.(*ast.IdentifierNode); ok {
		return name.Value
	}
	return ""
}
