package confined

import (
	"runtime"
	"sync"
	"time"
)

// pool is the children that wait for the next file.
type pool struct {
	sync.Mutex
	idle []*worker
	args []string // more arguments of children, for tests
}

// children is the pool of the program.
var children pool

// longUse is after how much time at work a child is replaced.
const longUse = 10 * time.Minute

// borrowChild returns a child that waits, or a new one.
func (p *pool) borrowChild() (*worker, error) {
	p.Lock()
	if n := len(p.idle); n > 0 {
		w := p.idle[n-1]
		p.idle = p.idle[:n-1]
		p.Unlock()
		return w, nil
	}
	p.Unlock()
	return startWorker(p.args)
}

// giveBack keeps a child for the next file, if that saves time.
func (p *pool) giveBack(w *worker) {
	p.Lock()
	keep := len(p.idle) < runtime.GOMAXPROCS(0) && w.used < longUse
	if keep {
		p.idle = append(p.idle, w)
	}
	p.Unlock()
	if !keep {
		w.endChild()
	}
}
