// Package golden compares the output of a program with golden files. "go test
// PACKAGE -update" rewrites the files.
//
// A package whose golden files are in separate folders calls Run in its
// TestMain, which finds files that no test uses any more.
package golden
