// Package roots summarises reports of `weft run --sources N --json` and `weft run --protocol NAME --json`: a row for each algorithm and
// graph, with the distribution of the times over the trials.
package roots
