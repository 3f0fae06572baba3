package block

// Limits of a block.
const (
	MaxText     = 1 << 20   // of any text
	MaxContent  = 128 << 20 // of a block
	MaxArrivals = 1 << 20   // of one copy
	MaxSequence = 1<<53 - 1 // of an event (SPEC 1.4)

	// FullWeight is the weight at which a block is full.
	FullWeight = 128 << 10
)

// weightOf is how much a copy fills a block: about its size when little of it repeats.
func weightOf(c *Copy) int {
	w := 64 + len(c.KeyID) + len(c.Type)
	for i := range c.Arrivals {
		w += 16 + len(c.Arrivals[i].Batch)
	}
	return w
}
