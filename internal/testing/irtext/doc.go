// Package irtext reads the text form of the IR that ir.Func's String writes, so that tests of the compiler can state a function
// as text, and check that the text says all. The product only writes it.
package irtext
