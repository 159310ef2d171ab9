//go:build cgo && linux

package worker

// encode makes the driver encode a tensor map.
func (w *gpu) encode(a TensorMapArgs) (TensorMap, error) {
	return w.ctx.TensorMap(&a.Map, int(a.Number), a.Address)
}
