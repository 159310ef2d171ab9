// Package memory determines how much memory is available, so that a request for
// far too much can be rejected with both figures before it is allocated: a
// process that the system kills for its memory use cannot report why.
package memory
