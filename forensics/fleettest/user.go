package fleettest

import "github.com/svc-edge/svc-verify/forensics/store"

// As opens a case as one of several users, each of whom has a key.
func As(user byte) store.Option {
	key, err := store.NewKey([store.KeySize]byte{user})
	if err != nil {
		panic(err)
	}
	return store.With(key)
}
