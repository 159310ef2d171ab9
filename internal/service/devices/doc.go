// Package devices opens devices by name: "func", "sim:h200", "hw:1". It is the
// only package that knows which kinds of devices exist; others ask a Spec or a
// device for its capabilities.
package devices
