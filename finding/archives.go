package finding

// archives are the codes of archives: of one object, and of the whole.
var archives = NewRegistry(
	objects,
	checks,
	bags,
)

// OfArchives returns the entries of the codes that only archives have.
func OfArchives() Registry { return archives }
