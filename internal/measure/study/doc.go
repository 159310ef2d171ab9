// Package study measures the time of algorithms for a list of candidates, schemes with their parameters, on a list of
// graphs, and compares the best of them with measurements of other systems. A specification in a YAML file says what
// to measure; results/peers has those of the project.
package study
