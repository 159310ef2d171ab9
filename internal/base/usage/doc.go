// Package usage has the errors for invalid input of a user: an unknown name, a
// value out of range, an option that needs another one. Each error says what is
// wrong and, if known, what to write instead, in the words of who reads it: a user of the command line reads --seed, the
// author of a specification seed, and the author of a program Options.Seed.
package usage
