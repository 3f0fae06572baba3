package record

// BuiltIn returns the built-in table.
func BuiltIn() *Algorithms { return builtIn }
