package device_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/weft-gpu/weft"
	"github.com/weft-gpu/weft/device"
)

// scale multiplies the numbers of host by 2 on any device.
func scale(ctx context.Context, dev device.Device, kernels device.Kernels, host []float32) (*device.Report, error) {
	k, err := kernels.Kernel(ctx, "Scale", nil)
	if err != nil {
		return nil, err
	}
	x, err := dev.Alloc("x", device.F32, len(host))
	if err != nil {
		return nil, err
	}
	if err := dev.Write(x, host); err != nil {
		return nil, err
	}
	rep, err := dev.Launch(ctx, device.Launch{Kernel: k, Grid: 1, Block: 32, Args: []any{x, float32(2)}})
	if err != nil {
		return rep, err
	}
	return rep, errors.Join(dev.Read(x, host), dev.Free(x))
}

// A function that uses a Device works on every kind of device. Package weft opens them.
func Example() {
	ctx := context.Background()
	pkg, err := weft.Load("../testdata/mykernels")
	if err != nil {
		log.Fatal(err)
	}
	for _, name := range []string{"func", "sim:tiny"} {
		dev, err := weft.Open(ctx, name, weft.Options{})
		if err != nil {
			log.Fatal(err)
		}
		host := []float32{1, 2, 3}
		rep, err := scale(ctx, dev.Device, pkg, host)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(dev.Name(), host, "has a clock:", rep.Cycles > 0)
		if err := dev.Close(); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// func [2 4 6] has a clock: false
	// sim:tiny [2 4 6] has a clock: true
}

// A capability is checked before it is used; Lacks gives the text of an error.
func ExampleCapabilities() {
	c := device.Counters | device.Budget
	fmt.Println(c.Has(device.Counters))
	fmt.Println("device func", c.Lacks(device.Clock|device.Streams))
	// Output:
	// true
	// device func has no clock and cannot run launches concurrently
}
