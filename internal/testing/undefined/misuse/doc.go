// Package misuse has a kernel for each thing that PTX or CUDA leave undefined and a
// kernel can do, and some for what they define although it looks alike. Package
// undefined lists them. Each has the same parameters: out has a word for each
// thread, blank is memory that nobody has written, and zero is 0.
package misuse
