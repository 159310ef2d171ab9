// Command products measures on a device what products of warpgroups cost, and products of matrices by them, and writes products.csv and
// matrices.csv:
//
//	go run ./internal/measure/microbench/products -device hw -out results/hw/asynchronous
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/weft-gpu/weft/internal/measure/microbench"
	"github.com/weft-gpu/weft/internal/service/devices"
)

func main() {
	name := flag.String("device", "hw", "the device, of compute capability 9.0")
	out := flag.String("out", ".", "the folder for the files")
	rows := flag.String("rows", "256,512,1024,2048,4096", "the rows of the matrices, multiples of 128; simulated machines take minutes for 1,024 and more")
	times := flag.Int("times", 5, "how often each is multiplied; the least time counts")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := measure(ctx, *name, *out, *rows, *times); err != nil {
		fmt.Fprintln(os.Stderr, "products:", err)
		os.Exit(1)
	}
}

// measure writes both files.
func measure(ctx context.Context, name, out, rows string, times int) (err error) {
	var sizes []int
	for word := range strings.SplitSeq(rows, ",") {
		n, err := strconv.Atoi(word)
		if err != nil || n <= 0 || n%128 != 0 {
			return fmt.Errorf("-rows: %q is no multiple of 128", word)
		}
		sizes = append(sizes, n)
	}
	if times < 1 {
		return fmt.Errorf("-times: %d is not positive", times)
	}
	spec, err := devices.New(name, devices.Options{})
	if err != nil {
		return err
	}
	d, err := spec.Open(ctx, devices.Watch{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	var products, matrices bytes.Buffer
	if err := microbench.GroupProducts(ctx, d, &products); err != nil {
		return err
	}
	if err := microbench.MatrixProducts(ctx, d, sizes, times, &matrices); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(out, "products.csv"), products.Bytes(), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, "matrices.csv"), matrices.Bytes(), 0o644)
}
