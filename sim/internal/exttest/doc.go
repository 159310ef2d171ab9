// Package exttest tests what users of package sim can do: its tests implement, register and select their own policies,
// and run every algorithm on every machine.
package exttest
