package part

import "iter"

// stream goes through records in their order. It returns nil after the last one. A record is
// valid until the next call.
type stream[T any] interface {
	next() (*T, error)
	close()
}

// eachRecord yields the records of the stream that open returns.
func eachRecord[T any](open func() stream[T]) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		s := open()
		defer s.close()
		for {
			v, err := s.next()
			if v == nil && err == nil || !yield(v, err) || err != nil {
				return
			}
		}
	}
}

// heap is the next records of several inputs. The lowest one is the first. Of equal records
// the one of the earlier input comes first.
type heap[T any] struct {
	compare func(a, b *T) int
	heads   []head[T]
}

type head[T any] struct {
	value  *T
	in     *input
	number int
	stream stream[T]
}

// addStream adds a stream unless it is empty.
func (h *heap[T]) addStream(in *input, s stream[T]) error {
	v, err := s.next()
	if v == nil || err != nil {
		s.close()
		return err
	}
	h.heads = append(h.heads, head[T]{v, in, len(h.heads), s})
	for i := len(h.heads) - 1; i > 0 && h.less(i, (i-1)/2); i = (i - 1) / 2 {
		h.heads[i], h.heads[(i-1)/2] = h.heads[(i-1)/2], h.heads[i]
	}
	return nil
}

func (h *heap[T]) less(i, j int) bool {
	c := h.compare(h.heads[i].value, h.heads[j].value)
	return c < 0 || c == 0 && h.heads[i].number < h.heads[j].number
}

// step continues in the input of the lowest record.
func (h *heap[T]) step() error {
	top := &h.heads[0]
	v, err := top.stream.next()
	if err != nil {
		return err
	}
	if top.value = v; v == nil {
		top.stream.close()
		last := len(h.heads) - 1
		h.heads[0], h.heads = h.heads[last], h.heads[:last]
	}
	for i := 0; ; {
		low := 2*i + 1
		if low >= len(h.heads) {
			return nil
		}
		if low+1 < len(h.heads) && h.less(low+1, low) {
			low++
		}
		if !h.less(low, i) {
			return nil
		}
		h.heads[i], h.heads[low] = h.heads[low], h.heads[i]
		i = low
	}
}

func (h *heap[T]) close() {
	for _, one := range h.heads {
		one.stream.close()
	}
	h.heads = nil
}
