// Package papers judges what papers claim by the results of studies.
//
// The specifications in this folder have claims:
//
//	claims:
//	  - figure: "12, push-pull against none"
//	    claim: 43% faster on average
//	    check: geomean(solve_seconds, param.fusion=none / param.fusion=push-pull per algorithm graph) in 1.43 else > 1
//	    why: iterations are short on small graphs
//	    picture: figure-12
//
// picture is the file: of the plot that shows it. A check is REDUCTION(METRIC, RUNS) DEMAND, where
// RUNS are conditions NAME=VALUE, also != ~ < >, that all hold; "|" separates alternatives, and an
// empty value means that a run does not have the setting. ~ is a part of the text. "A / B per NAMES"
// divides the metric of each run of A by that of the run of B with the same NAMES. If a side has
// several such runs, "best" takes the smallest value and "worst" the largest. METRIC may be a
// quotient, and each part of it alternatives, such as steps.sum.visited|steps.sum.frontier, of
// which a run's first counts; steps.sum.NAME, steps.max.NAME and steps.last.NAME are a quantity
// over the steps of a run, steps.low.NAME is the part of its time in steps in which NAME is below half of
// the highest, and series.inside.NAME is the sum of a series whose first and last value are 0, or 0
// if one of them is not. count(RUNS) counts runs of any status; the others look at runs that ended well.
//
// A reduction makes one number of the values; "all" demands the same of each. Demands are
//
//	> 1                    where the paper gives no number
//	in 1.2..1.6 else > 1   the range that it gives, or one number; if no more than "> 1" holds, the
//	                       verdict is "direction agrees, size differs"
//	in 0.09..0.15          without else there is no direction
//	in 0.8..1.2 from 1     nor where the range is on both sides of no effect
//
// A range is made wider by a quarter of what it says: of the distance of each end from the number
// after else or from, or from 0. RATIONALE.md says why.
//
// A reason, why, may have numbers in braces, which are computed from the runs that verdicts rest on: {} is the number of the claim, {on
// MACHINE} that on another machine (no-host, hw-h100, sim-h200, hw-h200), and {CONDITIONS} or {CONDITIONS on MACHINE} is that of the runs for which the
// conditions hold as well; of a quotient, those of its first side.
package papers
