// Package printing has printf for kernels: a function for modules that call it, which writes records to a buffer, and the
// text that the records stand for.
package printing
