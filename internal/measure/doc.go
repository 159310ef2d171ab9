// Package measure has no code: its folders run many points and keep what they measure: sweeps and clusters (spec, sweep,
// slurm, store, series, timeline), records of hardware (record, hostloop, microbench, ncu), what is compared with them (compare, comparison, peers, programs),
// machines that are made of them (calibration), the papers' studies (papers, multi, hangs), the speed of this program (bench), and the tables of what was measured (table, roots).
package measure
