// Package litmus has the forward-progress litmus tests of Sorensen et al.,
// "Specifying and Testing GPU Workgroup Progress Models", OOPSLA 2021: a reader
// of their text form and of published verdicts, and a test as a system whose
// schedules can be explored.
package litmus
