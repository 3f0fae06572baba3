package ijson

// Count returns how many values the document of v holds, v's own included.
func (v *Value) Count() int { return len(v.doc.values) }
