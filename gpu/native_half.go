package gpu

import "github.com/weft-gpu/weft/internal/base/floats"

func toF16(x float32) uint32 { return uint32(floats.Half.Round(float64(x), floats.NearestEven)) }

func fromF16(x uint32) float32 {
	return float32frombits(uint32(floats.Single.Round(floats.Half.Value(uint64(x&0xFFFF)), floats.NearestEven)))
}

func toBF16(x float32) uint32 { return uint32(floats.BFloat.Round(float64(x), floats.NearestEven)) }

func toTF32(x float32) uint32 {
	return uint32(floats.Tensor.Round(float64(x), floats.NearestAway) << 13)
}
