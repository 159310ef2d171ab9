//go:build cgo && linux

package main

// cgo says that the program looks at its standard output before Go does.
const cgo = true
