package waitfor_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
)

// BenchmarkKept compares launches whose memory is kept, so that a hang could be explained, with those for which it is not.
func BenchmarkKept(b *testing.B) {
	for _, on := range []string{"h200", "func"} {
		for _, words := range []int{1 << 10, 1 << 14} {
			for _, plain := range []bool{true, false} {
				b.Run(fmt.Sprintf("%s/%d words/unexplained=%v", on, words, plain), func(b *testing.B) {
					d := openFor(b, on, 0)
					k := kernelOf(b, "WrongCountRight")
					arrived, err := d.Alloc("arrived", device.U32, words)
					require.NoError(b, err)
					require.NoError(b, d.Write(arrived, make([]uint32, words)))
					for b.Loop() {
						_, err := d.Launch(context.Background(), device.Launch{Kernel: k, Grid: 8, Block: 64, Args: []any{arrived}, Unexplained: plain})
						require.NoError(b, err)
					}
				})
			}
		}
	}
}
