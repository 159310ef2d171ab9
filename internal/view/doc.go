// Package view has no code: its folders turn results into what one reads: text (report, annotate), pictures (plot), and a
// page (page).
package view
