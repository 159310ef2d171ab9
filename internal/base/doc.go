// Package base has no code: its folders are what any program needs, and know nothing of GPUs. Files: what a user names to be read
// (infile), to be written (outfile), YAML (yamlfile). Terminals and processes: progress (progressbar), Ctrl-C (signals), closed
// streams (startup), errors of usage (usage), text from outside (printable), numbers and tables (format). Memory: how much there is (memory),
// large tables (hugepage), values that will soon be used (prefetch), what several runs share (memo). Time: how long the parts of a preparation take (laps). Besides these: mixed bits (bitmix), formats of floating-point numbers (floats), the binary (buildinfo), and how fast this
// machine currently is (calibrate). They import no other package of this module but each other.
package base
