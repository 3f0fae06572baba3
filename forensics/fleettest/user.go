package fleettest

import "github.com/svc-edge/svc-verify/forensics/casefile"

// As opens a case as one of several users, each of whom has a key.
func As(user byte) casefile.Option {
	key, err := casefile.NewKey([casefile.KeySize]byte{user})
	if err != nil {
		panic(err)
	}
	return casefile.With(key)
}
