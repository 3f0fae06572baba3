package replay

import (
	"context"
	"errors"

	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// judge judges one object. Its error is none of the object.
func (r *run) judge(ctx context.Context, reader *object.Reader, t *task) (judged, error) {
	j := judged{path: t.Path, fault: t.fault}
	if j.fault != nil {
		return j, nil
	}
	if j.believed = r.believes(t.Row); j.believed {
		j.before, j.after, j.sum = t.Row.Judgement, t.Row.Judgement, t.Row.SHA256
		j.why = r.scope.touches(&j.before)
		if len(j.why) == 0 && !r.o.All {
			return j, nil
		}
	}
	fault, err := r.read(ctx, reader, t, &j)
	if fault != nil && err == nil {
		j.fault = &Fault{Unreadable, object.PathText(t.Path), safetext.Line(fault.Error())}
		if errors.Is(fault, errAltered) {
			j.fault = &Fault{Altered, object.PathText(t.Path), ""}
		}
	}
	if err != nil {
		return judged{}, err
	}
	return j, nil
}

// believes reports whether a row has the verdict before the change.
func (r *run) believes(row *ledger.Object) bool {
	return row != nil && row.Context == r.context && row.Wrong == ""
}

// errAltered reports that an object is not the one in the ledger.
var errAltered = errors.New("its bytes differ from the ledger")

// read reads an object, and judges it before and after the change, as far as that is
// needed. A fault is one of the object.
func (r *run) read(ctx context.Context, reader *object.Reader, t *task, j *judged) (fault, err error) {
	got, fault, err := reader.Read(ctx, t.Path, 0)
	defer func() { _ = reader.Done(got) }() // a file that was only read
	if fault != nil || err != nil {
		return fault, err
	}
	j.sum = got.SHA256
	if t.Row != nil && t.Row.SHA256 != j.sum {
		return errAltered, nil
	}
	if j.first = !j.believed; j.first {
		if j.before, err = r.before.Reading(ctx, got); err != nil {
			return split(err)
		}
		j.after, j.why = j.before, r.scope.touches(&j.before)
	}
	if j.again = len(j.why) > 0 || r.o.All; j.again {
		if j.after, err = r.after.Reading(ctx, got); err != nil {
			return split(err)
		}
	}
	return nil, nil
}

// split separates an error of an object from others.
func split(err error) (fault, other error) {
	if errors.Is(err, object.ErrChanged) {
		return err, nil
	}
	return nil, err
}
