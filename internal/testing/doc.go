// Package testing has no code: its folders support tests: the contract of all devices (devicetest), kernels for tests (testkernels, langtest),
// kernels as plain Go (native), random programs (difftest), the text of the IR (irtext), what PTX leaves undefined (undefined), golden files (golden), tests of the
// whole repository (archtest, readmetest), the figures of the documents (headlines), and commands that choose, time and count
// (check, testtime, sizes). CUDA programs with faults planted in twins are in cudatest, and cudabuild keeps what clang has built of them. No package of the product imports them.
package testing
