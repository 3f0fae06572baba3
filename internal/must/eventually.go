package must

import (
	"errors"
	"time"
)

// patience is how long a condition may take on a machine that has much to do.
const patience = 3 * time.Minute

// Eventually waits until a condition holds. In vain it ends the test.
func Eventually(t T, what string, holds func() bool) {
	t.Helper()
	EventuallyOK(t, what, func() error {
		if !holds() {
			return errors.New("it does not hold")
		}
		return nil
	})
}

// EventuallyOK is [Eventually] for a condition that returns an error until it is met.
func EventuallyOK(t T, what string, missing func() error) {
	t.Helper()
	pause := time.Millisecond
	for deadline := time.Now().Add(patience); ; time.Sleep(pause) {
		err := missing()
		if err == nil {
			return
		}
		That(t, time.Now().Before(deadline), "in vain: %s: %v", what, err)
		pause = min(2*pause, 50*time.Millisecond)
	}
}
