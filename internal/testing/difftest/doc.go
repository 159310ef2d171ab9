// Package difftest runs random kernels in several ways and compares their
// results bit by bit: as plain Go (package gpu), compiled for the functional
// device, with and without optimisation, and for the simulator. The project's
// correctness relies on it, since these ways share little code.
package difftest
