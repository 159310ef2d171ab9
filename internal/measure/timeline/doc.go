// Package timeline reads what happened within a run: its steps, which are iterations, or the intervals of a scheme that records
// them, with the numbers of each.
package timeline
