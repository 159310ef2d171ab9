// Package comparison compares a device with another device, or with the
// recorded results of a GPU: one algorithm, everything recorded, the
// micro-kernels, or the counters of kernels. A Request yields a table; its
// method Text prints it.
package comparison
