// Package plot draws pictures of results: lines, bars, heat maps, series over time, histograms
// and correlations, as PNG, SVG and PDF.
//
// A Spec says what to draw from a store. It comes from the plots: of a specification of a study,
//
//	plots:
//	  - kind: lines
//	    x: l2.latency
//	    y: cycles
//	    series: scheduler
//	    facet: graph
//
// or from flags of "weft plot". Draw reads the runs and returns a Picture, which Write writes in
// one of Formats. The same results give the same bytes.
package plot
