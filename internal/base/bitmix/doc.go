// Package bitmix mixes bits: it maps neighbouring numbers to unrelated ones,
// the same ones on every run.
package bitmix
