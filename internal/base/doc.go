// Package base has no code: its folders are what any program needs, files, terminals, memory and builds, and know nothing
// of GPUs. They import no other package of this module but each other.
package base
