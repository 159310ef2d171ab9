// Package printable keeps text from outside (names of files, texts of kernels,
// names in sources) from controlling the terminal or forging a line of output.
// It writes control characters, invisible characters and characters that change
// the direction of text as escapes.
//
// The escapes are those of JSON strings, so that JSON keeps its meaning.
package printable
