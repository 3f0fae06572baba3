// Package httpd finds ports for servers that are to have the same one again
// when they were down for a while. Systems give the port numbers from 32768 on to
// whoever makes a connection; those below stay free.
package httpd

import (
	"fmt"
	"math/rand/v2"
	"net"
)

const lowest, highest = 20000, 32767

// Listen listens on 127.0.0.1, on a port below those of connections, whichever
// is free.
func Listen() (net.Listener, error) {
	var l net.Listener
	var err error
	for range 100 {
		port := lowest + rand.IntN(highest-lowest+1) // #nosec G404 -- any will do
		if l, err = net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			return l, nil
		}
	}
	return nil, err
}
