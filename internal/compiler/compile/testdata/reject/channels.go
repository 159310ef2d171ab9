package reject

import "github.com/weft-gpu/weft/gpu"

func Chan(t gpu.Thread, a []uint32) {
	c := make(chan uint32, 1)
	c <- a[0]
	a[1] = <-c
	close(c)
	select {
	case x := <-c:
		a[2] = x
	default:
	}
	for x := range c {
		a[3] = x
	}
}

func ChanParam(t gpu.Thread, c chan uint32) { c <- 1 }
