// Package hostloop measures what the host of a device takes beside the kernels in runs of a scheme: on graphs of its own, which no record
// has, so that a record can carry the host on which it was made.
package hostloop
