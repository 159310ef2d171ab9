// Package shared is the model of the path between the lanes of a warp and the banks of an SM's shared memory: in how
// many passes an access is served, and when the stage that delivers the data of shared memory (and, on machines with
// one array for both, of L1) is free. All rules were read off an H200; results/hw/h200/shared-passes.json has its
// counts, and a test compares every one of them.
package shared
