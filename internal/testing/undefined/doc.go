// Package undefined lists what PTX and CUDA leave undefined and a kernel can do,
// and what devices do about it. docs/undefined.md has the list for users; each
// row is tested.
package undefined
