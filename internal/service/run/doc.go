// Package run runs an algorithm on a device: it turns a Request into a Result.
// It prints nothing and knows no flags; package report prints the Result as
// text.
package run
