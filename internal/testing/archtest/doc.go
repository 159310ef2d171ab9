// Package archtest checks the rules of the project's layout: which package may
// import which, where Akita and cgo may be used, and what device code may use.
package archtest
