// Package view has no code: its folders turn results into what one reads: text (report, annotate), pictures (plot,
// figures), a page (page), and the figures of the documents (headlines).
package view
