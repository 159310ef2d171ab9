// Package protocol runs an algorithm many times, from start vertices that are drawn at random, and summarises the times as
// benchmarks of graph algorithms ask for it: GAP (Beamer, Asanović, Patterson, The GAP Benchmark Suite, arXiv:1508.03619,
// 2017) and Graph 500 (graph500.org, specification 2.0, 2017). It prints nothing and knows no flags; package report prints
// Trials as text.
package protocol
