// Package service has no code: its folders have what a user can choose (option), and do one thing by its name: open a device (devices), load a graph (graphs), find
// an algorithm and a scheme (catalog) or choose one (choice), run it (run), or many times as a benchmark asks for (protocol), launch a kernel (launch), say what bounds
// it (bound), measure what the processor of this machine takes for the same (cpu), build a CUDA program and run
// it (cuda).
package service
