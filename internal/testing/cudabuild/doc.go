// Package cudabuild builds CUDA programs for tests, and keeps what was built in the user's cache: clang takes a second and a half of processor
// time for a program, which is more than most of them run, and what it makes of one changes only with the program, the headers and clang.
package cudabuild
