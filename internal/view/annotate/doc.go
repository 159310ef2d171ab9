// Package annotate shows where a run spends its time, by source line, call
// chain and address, for one run or for two runs side by side.
package annotate
