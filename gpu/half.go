package gpu

// ToF16 returns x in the format f16 (IEEE 754 binary16), rounded to nearest, in the lower 16 bits.
func ToF16(x float32) uint32 { return toF16(x) }

// FromF16 returns the number that the lower 16 bits of x are in the format f16.
func FromF16(x uint32) float32 { return fromF16(x) }

// ToBF16 returns x in the format bf16, the upper half of a float32, rounded to nearest, in the lower 16 bits.
func ToBF16(x float32) uint32 { return toBF16(x) }

// PackF16 returns two numbers in the format f16: low in the lower half, high in the upper one; see [ToF16].
func PackF16(low, high float32) uint32 { return ToF16(low) | ToF16(high)<<16 }

// PackBF16 returns two numbers in the format bf16; see [PackF16].
func PackBF16(low, high float32) uint32 { return ToBF16(low) | ToBF16(high)<<16 }

// ToTF32 returns x in the format tf32, a float32 of which the lower 13 bits are 0, rounded to nearest, ties away from zero.
func ToTF32(x float32) uint32 { return toTF32(x) }
