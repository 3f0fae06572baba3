// Package evidence defines the evidence for a verdict on whole logs, wherever it is kept.
//
// The walk, the comparison of the sources and the examination of the deliveries read
// evidence through one interface, [Reader]. Package partview implements it for cases and
// for the parts that workers made of their shares, so that the same evidence gives the
// same verdict.
//
// Of the bytes of events a verdict needs little: the data of a few types, as [Said], and
// whether the losses of a transport explain the difference between two copies. So a [Reader]
// answers these two questions and hands out no bytes.
package evidence
