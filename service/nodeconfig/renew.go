package nodeconfig

import "time"

// ReadClient reads the files of a client's identity again, so that one that was
// renewed is taken up without a restart. The rules are those of [Read]. Where
// there are faults, the chain is there as far as it could be read: the caller
// may want to know that it has expired, and must not use it.
func (id Identity) ReadClient(at time.Time) (Identity, Faults) {
	c := &collector{}
	read := Identity{CertificateFile: id.CertificateFile, PrivateKeyFile: id.PrivateKeyFile}
	(&inspector{c, at}).identity(&read, clientUse)
	return read, c.faults.sorted()
}
