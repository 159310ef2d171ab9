// Command products measures on a device what products of warpgroups cost, and products of matrices and attention by them, and writes
// products.csv, matrices.csv and attention.csv:
//
//	go run ./internal/measure/microbench/products -device hw -out results/hw/asynchronous
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/weft-gpu/weft/internal/measure/microbench"
	"github.com/weft-gpu/weft/internal/service/devices"
)

func main() {
	name := flag.String("device", "hw", "the device, of compute capability 9.0")
	out := flag.String("out", ".", "the folder for the files")
	rows := flag.String("rows", "256,512,1024,2048,4096", "the rows of the matrices, multiples of 128; simulated machines take minutes for 1,024 and more")
	keys := flag.String("keys", "1024,2048,4096", "the keys, and queries, of the attention of each head, multiples of 128; simulated machines take minutes for 1,024 and more")
	parts := flag.String("parts", "products,matrices,attention", "what to measure, and to write")
	kernels := flag.String("kernels", strings.Join(microbench.MatrixKernels, ","), "the kernels that multiply matrices")
	heads := flag.Int("heads", 8, "the heads of the attention")
	times := flag.Int("times", 5, "how often each is launched; the least time counts")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := measure(ctx, *name, *out, *parts, *kernels, *rows, *keys, *heads, *times); err != nil {
		fmt.Fprintln(os.Stderr, "products:", err)
		os.Exit(1)
	}
}

// multiples returns the numbers of a flag, which are multiples of 128.
func multiples(flag, text string) (list []int, err error) {
	for word := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(word)
		if err != nil || n <= 0 || n%128 != 0 {
			return nil, fmt.Errorf("-%s: %q is no multiple of 128", flag, word)
		}
		list = append(list, n)
	}
	return list, nil
}

// measure writes the files.
func measure(ctx context.Context, name, out, parts, kernels, rows, keys string, heads, times int) (err error) {
	list := strings.Split(kernels, ",")
	for _, k := range list {
		if !slices.Contains(microbench.MatrixKernels, k) {
			return fmt.Errorf("-kernels: %q is none of %s", k, strings.Join(microbench.MatrixKernels, ", "))
		}
	}
	wanted := strings.Split(parts, ",")
	for _, p := range wanted {
		if !slices.Contains([]string{"products", "matrices", "attention"}, p) {
			return fmt.Errorf("-parts: %q is none of products, matrices, attention", p)
		}
	}
	sizes, err := multiples("rows", rows)
	if err != nil {
		return err
	}
	lengths, err := multiples("keys", keys)
	if err != nil {
		return err
	}
	if heads < 1 {
		return fmt.Errorf("-heads: %d is not positive", heads)
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
	for _, part := range []struct {
		name string
		rows func(to io.Writer) error
	}{
		{"products", func(to io.Writer) error { return microbench.GroupProducts(ctx, d, to) }},
		{"matrices", func(to io.Writer) error { return microbench.MatrixProducts(ctx, d, list, sizes, times, to) }},
		{"attention", func(to io.Writer) error { return microbench.Attentions(ctx, d, heads, lengths, times, to) }},
	} {
		if !slices.Contains(wanted, part.name) {
			continue
		}
		var lines bytes.Buffer
		if err := part.rows(&lines); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(out, part.name+".csv"), lines.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}
