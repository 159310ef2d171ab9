// Package bare has a type that is no algorithm.
package bare

// Bare has none of the methods.
type Bare struct{}
