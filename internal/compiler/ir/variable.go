package ir

// Variable is a variable of a module in global memory (.global and .const of PTX). It
// is on a device once for all kernels of the module, from when it is first asked for.
type Variable struct {
	Name    string
	Size    int // bytes
	Align   int
	Const   bool // only the host writes it
	Managed bool
	Data    []byte // its initial value; shorter than Size if the rest is zero
	// Relocations are the words of the initial value that are addresses of variables.
	Relocations []Relocation
	// Source is the module that it is of: its text and its printer.
	Source *Source
}

// Relocation is a word of an initial value that holds the address of a variable.
type Relocation struct {
	Off   int // of the word
	Size  int // bytes: 8, or 1 for a single byte of the address
	Shift int // bits by which the address is shifted right, for a single byte
	Of    *Variable
	Add   uint64
}

// Source is the text from which a kernel was read, if that was PTX. A GPU's driver
// takes it as it stands.
type Source struct {
	Text  string
	Entry string // the name of the kernel in it; "" for the module as such
	// Printer says what printf of the module's kernels has written.
	Printer Printer
}

// Printer reads what printf has written to a variable.
type Printer interface {
	// PrintBuffer returns the variable; nil if no kernel prints.
	PrintBuffer() *Variable
	// Printed returns the text, and how many bytes were lost. text returns the string at an
	// address.
	Printed(data []byte, text func(address uint64) string) (out string, lost int)
	// Variables are those of the module, in which such strings are.
	Variables() ([]*Variable, error)
}
