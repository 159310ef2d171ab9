// Package testing has no code: its folders support tests: kernels and devices for tests, random programs (difftest), golden
// files, and tests of the whole repository (archtest, readmetest). No package of the product imports them.
package testing
