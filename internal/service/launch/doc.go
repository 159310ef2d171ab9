// Package launch launches one kernel with arguments that are written as text:
// it turns a Request into a Result. It prints nothing and knows no flags;
// package report prints the Result as text.
//
// The text of an argument is the value of a parameter: "1024", "random:n:0:1",
// "file:x.bin". ParseValue parses it, and Grammar explains it to users.
package launch
