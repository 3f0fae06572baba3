package worst

import (
	"fmt"
	"strings"
)

// partTexts returns texts of n records that each are a part of a line.
func partTexts(n int) map[string]string {
	const cri = "2026-03-02T09:00:00Z "
	each := func(write func(i int) string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(write(i))
		}
		return b.String()
	}
	record := func(id, ordinal int) string {
		return fmt.Sprintf(`{"log":"{","partial_message":"true","partial_id":"%d","partial_ordinal":"%d"}`+"\n", id, ordinal)
	}
	return map[string]string{
		"parts that never end":     strings.Repeat(cri+"stdout P {\n", n),
		"outputs in one another":   strings.Repeat(cri+"stdout P x\n"+cri+"stderr P y\n", n/2),
		"parts and garbage":        strings.Repeat(cri+"stdout P x\n"+"garbage\n"+cri+"stdout F y\n", n/3),
		"parts from the last":      each(func(i int) string { return record(1, n-i+1) }),
		"parts of as many lines":   each(func(i int) string { return record(i, 1) }),
		"parts of Docker":          strings.Repeat(`{"log":"{","stream":"stdout","time":"2026-03-02T09:00:00Z"}`+"\n", n),
		"records of Docker":        strings.Repeat("\x00\x00\x00\x09\x0a\x06stdout\x00", n),
		"fields":                   "__CURSOR=1\n" + strings.Repeat("A=\n", n),
		"fields of a wrong length": strings.Repeat("__CURSOR=1\nA\n\x01\x00\x00\x00\x00\x00\x00\x00", n),
		"entries without an end":   strings.Repeat("__CURSOR=1\n!\n", n),
		"separators":               strings.Repeat("\x1e", n),
		"texts that do not end":    strings.Repeat("\x1e{", n),
	}
}
