// Package exttest holds what a user of package sim outside it can do: its
// tests write, register and select policies of their own, and run every
// algorithm on every machine.
package exttest
