// Package measure has no code: its folders run many points and keep what they measure: sweeps and clusters (spec, sweep,
// slurm, store), records of hardware (record, microbench, ncu), what is compared with them (compare, comparison, peers),
// the papers' studies (papers, multi, hangs), and the speed of this program (bench).
package measure
