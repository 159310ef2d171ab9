// Package progressbar shows the progress of one piece of work: as a bar on a terminal, and elsewhere, such as in the log of a
// batch job, as a line now and then.
package progressbar
