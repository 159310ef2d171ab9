// Package hugepage asks the operating system to back large tables by huge
// pages. The state of a simulated GPU is many times larger than the TLB of a
// processor covers with small pages, and is accessed at random.
package hugepage
