// Package conclude gives the verdict on evidence that many workers read.
//
// It joins the parts that they wrote, and examines them as a case is examined, by the same
// code. So the result is the same as on one machine. The only difference is that parts can
// leave more open:
//
//   - Without a plan, parts may be missing. Without a key, anyone may have made them. The
//     result states this first ([verdict.Assumption]).
//   - A share of the plan that no part holds is left out of the result, with the files and
//     ranges that are missing. The verdict is then inconclusive.
//   - A line can be needed again, to see what a transport did to it. Where its source
//     cannot be read, package examine leaves that out.
//
// Parts that were not made alike, and parts that the plan does not know, are errors.
package conclude
