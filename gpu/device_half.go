package gpu

// FromBF16 returns the number that the lower 16 bits of x are in the format bf16.
func FromBF16(x uint32) float32 { return Float32frombits(x << 16) }

// PackF16 returns two numbers in the format f16: low in the lower half, high in the upper one; see [ToF16].
func PackF16(low, high float32) uint32 { return ToF16(low) | ToF16(high)<<16 }

// PackBF16 returns two numbers in the format bf16; see [PackF16].
func PackBF16(low, high float32) uint32 { return ToBF16(low) | ToBF16(high)<<16 }
