// Package compare compares the runs of two sides, such as two versions of a kernel or two
// schemes, and says which differences are real.
//
// Runs of both sides belong together if all that a specification set is the same, apart from
// what tells the sides apart. Of repeated runs the medians are compared, by the Mann-Whitney
// U-test, as benchstat does: a difference that chance makes with a probability of 5% or more counts as
// none. Simulations are deterministic, so any difference between two is real; simulations of several
// seeds that are put together are a sample, too.
//
// Repeated runs are those of one version of weft, with the same kernel, graph and machine. If a side
// has others at a point, from before a change, the newest are compared and the rest is counted.
package compare
