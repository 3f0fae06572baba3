package agent_test

import "net/netip"

// anyPort is an address with a port that the system chooses.
func anyPort(a netip.AddrPort) netip.AddrPort { return netip.AddrPortFrom(a.Addr(), 0) }
