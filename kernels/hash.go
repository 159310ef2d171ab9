package kernels

// scatter maps the numbers of 32 bits to each other in an order that looks random: the
// finalizer of MurmurHash3. Different numbers have different results.
func scatter(x uint32) uint32 {
	x ^= x >> 16
	x *= 0x85ebca6b
	x ^= x >> 13
	x *= 0xc2b2ae35
	return x ^ x>>16
}
