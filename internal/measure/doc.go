// Package measure has no code: its folders run many points and keep what they measure: sweeps and clusters (spec, sweep,
// slurm, store), records of hardware (record, study, microbench, ncu), what is compared with them (compare, comparison),
// the papers' studies (papers, multi, hangs), and the speed of this program (bench).
package measure
