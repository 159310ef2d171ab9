// Package corpus holds generated kernels, as Go that runs as it is and as
// source for the compiler. This file is written by hand: what all of them
// share. See package generate.
package corpus
