// Package opt optimises kernels in SSA form (Optimize) and turns them into
// programs (Program): it leaves SSA form, allocates registers and lays out the
// blocks linearly.
//
// The simulator executes the result, so the passes aim at the dynamic
// instruction count of real machine code: one branch per iteration, one
// multiply-add per address, constants and parameters as direct operands.
//
// NoIndexWrap: s[u+1] shares the address of s[u], which assumes that index
// arithmetic with small constants does not wrap around. If it does, the access
// is out of range either way, unless u+c is meant to wrap around to a valid
// index.
package opt
