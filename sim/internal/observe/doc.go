// Package observe fills the profile and the trace of a simulation, which package profile defines. The simulator calls it;
// what it needs for that, such as the queues at addresses, is not part of the result.
package observe
