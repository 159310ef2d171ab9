// Package papers judges what papers claim by the results of studies.
//
// The specifications in this folder have claims:
//
//	claims:
//	  - figure: "12, push-pull against none"
//	    claim: 43% faster on average
//	    check: geomean(solve_seconds, param.fusion=none / param.fusion=push-pull per algorithm graph) > 1
//	    why: iterations are short on small graphs
//
// A check is REDUCTION(METRIC, RUNS) RELATION NUMBER, where RUNS are conditions NAME=VALUE, also
// != ~ < >, that all hold; "|" separates alternatives, and an empty value means that a run does not
// have the setting. ~ is a part of the text. "A / B per NAMES" divides the metric of each run
// of A by that of the run of B with the same NAMES. If a side has several such runs, "best" takes the
// smallest value and "worst" the largest. METRIC may be a quotient; steps.sum.NAME, steps.max.NAME and
// steps.last.NAME are a quantity over the steps of a run. count(RUNS) counts runs of any status; the
// others look at runs that ended well.
package papers
