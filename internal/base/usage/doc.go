// Package usage has the errors for invalid input of a user: an unknown name, a
// value out of range, a flag that needs another one. Each error says what is
// wrong and, if known, what to write instead.
package usage
