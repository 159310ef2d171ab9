// Package devicetest contains the contract test of [device.Device]: one test that checks
// that every implementation behaves alike.
package devicetest
