// Package readmetest tests the README and docs/*.md: their code must be code of
// the project, their commands must run, and their sample output must be what
// these print. docs_test.go describes how a document is written.
package readmetest
