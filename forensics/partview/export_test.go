package partview

// Bounded sets bounds of a view that evidence for tests would not come to.
func (v *View) Bounded(mostSubjects int, leastRun uint64) *View {
	v.mostSubjects, v.sortRoom, v.leastRun, v.nearby.most = mostSubjects, 100*mostSubjects, leastRun, 70
	return v
}
