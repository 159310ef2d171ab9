// Package prefetch asks the host's memory for values that will soon be used, so that it delivers several at a time
// while other work goes on. It affects only speed: no value changes, and an address that is not mapped is no error.
package prefetch
