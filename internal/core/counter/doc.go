// Package counter is the table of all counters: the name and meaning of each, how the simulator computes its value,
// how the values of several launches are combined, and how comparisons and reports use it.
//
// Names are those of Nsight Compute if it has the same counter. The part of a name before the two underscores is the
// unit of the GPU that counts: sm is an SM, smsp one of its sub-cores, l1tex the L1 of an SM, lts a slice of the L2.
// The part after the dot says how the instances are combined: .sum adds them up; .avg is the sum divided by their
// number (including idle instances); .max is the largest; .avg.per_cycle_active is the sum divided by the sum of the
// cycles in which an instance was active, and .avg.pct_of_peak_sustained_active is that as a percentage of an
// instance's peak rate; _elapsed instead of _active refers to all cycles of the launch.
package counter
