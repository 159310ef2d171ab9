// Package sweep runs the points of a specification (package spec) and keeps the results in a
// store (package store).
//
//	plan, err := sweep.NewPlan(ctx, specification)
//	todo, err := plan.Missing(ctx, results, false)   // after an interruption: what is left
//	summary, err := plan.Run(ctx, results, todo, sweep.Running{Jobs: 2})
//
// A point is identified by a hash of all that determines its result: the IR of the kernels, the
// whole machine, the graph, every parameter, the seed and the version of weft. A result is
// added to the store in one transaction when its point ends, so a sweep that is killed loses the
// points that were running and nothing else; the next run does what is missing.
//
// A point that fails, hangs or gives a wrong answer is a result, too.
package sweep
