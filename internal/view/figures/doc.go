// Package figures draws the pictures of the documents as SVG: the source of a kernel
// with what each line costs, and simulated against measured times. Its test and that of
// internal/view/headlines draw them anew and compare them with docs/images; "make figures"
// writes them.
package figures
