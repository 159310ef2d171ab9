// Package timing provides the time base of a simulated machine: fractions of a cycle, in which shared resources are
// reserved, and the wheel that holds the events of later cycles.
package timing
