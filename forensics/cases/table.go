package cases

// exam is what an investigator is given, and does with it.
type exam struct {
	scene   string
	given   []string
	crossed bool
}
