package gpu

// FromBF16 returns the number that the lower 16 bits of x are in the format bf16.
func FromBF16(x uint32) float32 { return Float32frombits(x << 16) }
