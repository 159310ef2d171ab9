// Package service has no code: its folders have what a user can choose (option), and do one thing by its name: open a device (devices), load a graph (graphs), find
// an algorithm and a scheme (catalog) or choose one (choice), run it (run), launch a kernel (launch), and say what bounds
// it (bound).
package service
