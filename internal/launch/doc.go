// Package launch launches one kernel with arguments that are written as text: a
// Request becomes a Result. It prints nothing and knows no flags; package report has
// the Result as text.
//
// The text of an argument says what a parameter gets: "1024", "random:n:0:1",
// "file:x.bin". ParseValue is its grammar, and Grammar explains it to users.
package launch
