// Package progress decides whether a concurrent program is sure to end under a
// progress model: a rule that says which threads a scheduler must let run.
//
// A program is a System: its threads take atomic steps from state to state.
// Explore enumerates all states that any schedule reaches, as a Graph, and
// Graph.Decide looks in it for an execution that a Model allows and that never
// ends. Such an execution is returned as a Counterexample: steps that lead to a
// state, and a cycle of steps from that state back to itself.
//
// Packages below this one have the systems: litmus the tests of the literature,
// kernel compiled kernels.
package progress
