// Package calibration turns the recorded table of a GPU's micro-kernels into the parameters of a simulated machine. Each step of
// its table fits one parameter to the rows that isolate it; what a driver says of a GPU is taken as it is, and what no row
// isolates stays as it is in the base.
package calibration
