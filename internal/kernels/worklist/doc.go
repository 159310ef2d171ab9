// Package worklist contains a work queue for persistent blocks, and a rule by which they never
// stop.
package worklist
