//go:build !kernel

// Command saxpy is a kernel with its host program, on any device:
//
//	go run ./saxpy sim:h200
package main

import (
	"context"
	"embed"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/weft-gpu/weft"
)

//go:embed saxpy.go
var source embed.FS

func main() {
	name := "sim:h200"
	if len(os.Args) > 1 {
		name = os.Args[1]
	}
	if err := run(context.Background(), os.Stdout, name); err != nil {
		log.Fatal(err)
	}
}

// run launches Saxpy on a device and checks what it computed.
func run(ctx context.Context, w io.Writer, name string) error {
	dev, err := weft.Open(ctx, name, weft.Options{})
	if err != nil {
		return err
	}
	defer dev.Close()
	pkg, err := weft.LoadFS("example.com/outside/saxpy", source)
	if err != nil {
		return err
	}
	k, err := pkg.Kernel(ctx, "Saxpy", nil)
	if err != nil {
		return err
	}
	const n = 10_000
	ones, up := make([]float32, n), make([]float32, n)
	for i := range up {
		ones[i], up[i] = 1, float32(i)
	}
	x, err := weft.Upload(dev, "x", up)
	if err != nil {
		return err
	}
	y, err := weft.Upload(dev, "y", ones)
	if err != nil {
		return err
	}
	rep, err := dev.Launch(ctx, weft.Launch{Kernel: k, Grid: 64, Block: 256, Args: []any{float32(2), x, y}})
	if err != nil {
		return err
	}
	out, err := y.Values()
	if err != nil {
		return err
	}
	for i, v := range out {
		if v != 2*float32(i)+1 {
			return fmt.Errorf("y[%d] is %v", i, v)
		}
	}
	fmt.Fprintf(w, "%d elements are right on %s\n%s", n, name, rep)
	return nil
}
