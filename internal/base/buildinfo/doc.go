// Package buildinfo is what this binary knows about itself.
package buildinfo
