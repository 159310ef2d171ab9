package weft_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/weft-gpu/weft"
	"github.com/weft-gpu/weft/graph"
)

// A kernel of a directory is launched on the functional executor and on a
// simulated GPU with two SMs.
func Example() {
	ctx := context.Background()
	pkg, err := weft.Load("testdata/mykernels")
	if err != nil {
		log.Fatal(err)
	}
	k, err := pkg.Kernel(ctx, "Scale", nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, name := range []string{"func", "sim:tiny"} {
		dev, err := weft.Open(ctx, name, weft.Options{})
		if err != nil {
			log.Fatal(err)
		}
		x, err := weft.Upload(dev, "x", []float32{1, 2, 3})
		if err != nil {
			log.Fatal(err)
		}
		rep, err := dev.Launch(ctx, weft.Launch{Kernel: k, Grid: 1, Block: 32, Args: []any{x, float32(2)}})
		if err != nil {
			log.Fatal(err)
		}
		out, err := x.Values()
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(dev.Name(), out, rep.Cycles > 0)
		if err := dev.Close(); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// func [2 4 6] false
	// sim:tiny [2 4 6] true
}

func ExampleOpen() {
	ctx := context.Background()
	dev, err := weft.Open(ctx, "sim:h200", weft.Options{Set: []string{"sm.count=16", "l2.latency=150"}})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	fmt.Println(dev.Name())
	_, err = weft.Open(ctx, "func", weft.Options{Set: []string{"sm.count=16"}})
	fmt.Println(err)
	// Output:
	// sim:h200
	// weft.Open("func"): Options.Set: device func has no parameters; name a simulated machine by its name, such as sim:h200
}

func ExamplePackage_Kernel() {
	ctx := context.Background()
	pkg, err := weft.Load("testdata/mykernels")
	if err != nil {
		log.Fatal(err)
	}
	names, err := pkg.Kernels()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(names)
	k, err := pkg.Kernel(ctx, "Add[uint32]", nil)
	if err != nil {
		log.Fatal(err)
	}
	dev, err := weft.Open(ctx, "func", weft.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	x, err := weft.Upload(dev, "x", []uint32{1, 2, 3, 4})
	if err != nil {
		log.Fatal(err)
	}
	sum, err := weft.Upload(dev, "sum", []uint32{0})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := dev.Launch(ctx, weft.Launch{Kernel: k, Grid: 2, Block: 32, Args: []any{x, sum}}); err != nil {
		log.Fatal(err)
	}
	out, err := sum.Values()
	fmt.Println(out, err)
	// Output:
	// [Move Scale Turn]
	// [10] <nil>
}

func ExampleDevice_occupancy() {
	ctx := context.Background()
	dev, err := weft.Open(ctx, "sim:tiny", weft.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	pkg, err := weft.Load("testdata/mykernels")
	if err != nil {
		log.Fatal(err)
	}
	k, err := pkg.Kernel(ctx, "Scale", nil)
	if err != nil {
		log.Fatal(err)
	}
	occ, err := dev.Occupancy(k, 256)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d SMs, %d blocks of 256 threads per SM, limited by %s\n", occ.SMs, occ.BlocksPerSM, occ.Limit)
	// Output:
	// 2 SMs, 4 blocks of 256 threads per SM, limited by blocks
}

// A profile of what was launched, for "go tool pprof -top FILE".
func ExampleDevice_WriteProfile() {
	ctx := context.Background()
	dev, err := weft.Open(ctx, "sim:tiny", weft.Options{Profile: true})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	pkg, err := weft.Load("testdata/mykernels")
	if err != nil {
		log.Fatal(err)
	}
	k, err := pkg.Kernel(ctx, "Scale", nil)
	if err != nil {
		log.Fatal(err)
	}
	x, err := weft.Upload(dev, "x", make([]float32, 1000))
	if err != nil {
		log.Fatal(err)
	}
	if _, err := dev.Launch(ctx, weft.Launch{Kernel: k, Grid: 4, Block: 64, Args: []any{x, float32(2)}}); err != nil {
		log.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	file, err := os.Create(filepath.Join(dir, "scale.pb.gz"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(dev.WriteProfile(file), file.Close())
	// Output:
	// <nil> <nil>
}

// Breadth-first search on a graph of your own, compared with the CPU.
func ExampleRun() {
	ctx := context.Background()
	dev, err := weft.Open(ctx, "sim:tiny", weft.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	edges := []graph.Edge{{From: 0, To: 1}, {From: 1, To: 2}, {From: 0, To: 3}, {From: 3, To: 4}, {From: 4, To: 5}}
	g, _, err := graph.FromEdges(ctx, "mine", 6, edges, graph.LoadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	res, err := weft.Run(ctx, dev, weft.Request{Algorithm: "bfs", Scheduler: "warp", Graph: g, Verify: true})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(res.Values, res.Verified)
	// Output:
	// [0 1 2 1 2 3] true
}
