package gpu

// The functions below are single operations on a device. Each returns the barrier as it was, of which PTX hides all but the phase.

func mbarrierInit(p *uint64, arrivals uint64) uint64 { return onMBarrier(p, arrivals, initial) }
func mbarrierInval(p *uint64, _ uint64) uint64       { return onMBarrier(p, 0, invalid) }
func mbarrierArrive(p *uint64, n uint64) uint64      { return onMBarrier(p, n, arrived) }
func mbarrierExpect(p *uint64, bytes uint64) uint64  { return onMBarrier(p, bytes, expected) }
func mbarrierArriveExpect(p *uint64, bytes uint64) uint64 {
	return onMBarrier(p, bytes, arrivedExpected)
}
func mbarrierDrop(p *uint64, n uint64) uint64 { return onMBarrier(p, n, dropped) }
func mbarrierDropExpect(p *uint64, bytes uint64) uint64 {
	return onMBarrier(p, bytes, droppedExpected)
}
func mbarrierTrack(p *uint64, _ uint64) uint64          { return onCopies(p, tracked) }
func mbarrierCopied(p *uint64, _ uint64) uint64         { return onCopies(p, announced) }
func mbarrierTest(p *uint64, phase uint64) uint64       { return lookAt(p, phase) }
func mbarrierTestParity(p *uint64, phase uint64) uint64 { return lookAt(p, phase) }
func mbarrierTry(p *uint64, phase uint64) uint64        { return lookAt(p, phase) }
func mbarrierTryParity(p *uint64, phase uint64) uint64  { return lookAt(p, phase) }
