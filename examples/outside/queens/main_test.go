package main

import (
	"fmt"
	"testing"

	"github.com/weft-gpu/weft"
	"github.com/weft-gpu/weft/hw"
)

// place counts the same by recursion, and the boards that it visits.
func place(n int, queens []int) (ways, boards int) {
	boards = 1
	if len(queens) == n {
		return 1, 1
	}
next:
	for column := range n {
		for row, other := range queens {
			if d := len(queens) - row; column == other || column == other+d || column == other-d {
				continue next
			}
		}
		w, b := place(n, append(queens, column))
		ways, boards = ways+w, boards+b
	}
	return ways, boards
}

// TestWorkers runs workers of each size, with both kinds of kernel and several fetch sizes.
func TestWorkers(t *testing.T) {
	for _, name := range []string{"func", "sim:tiny", "hw"} {
		for _, worker := range []string{"thread", "warp", "block"} {
			for _, kernel := range []string{"persistent", "discrete"} {
				for _, fetch := range []int{0, 1, 20} {
					n := 6
					if name == "hw" {
						n = 10
					}
					if worker == "thread" && fetch > 1 {
						continue
					}
					ways, boards := place(n, nil)
					found, rep, err := count(t.Context(), name, uint32(n), weft.Workers[Board]{Worker: worker, Kernel: kernel, Fetch: fetch, Block: 64})
					if hw.IsMissing(err) {
						t.Logf("%s: %v", name, err)
						continue
					}
					what := fmt.Sprintf("%s by %s, %s, fetch %d", name, worker, kernel, fetch)
					if err != nil {
						t.Fatalf("%s: %v", what, err)
					}
					if int(found) != ways || int(rep.Tasks) != boards {
						t.Errorf("%s: %d ways and %d tasks, not %d and %d", what, found, rep.Tasks, ways, boards)
					}
				}
			}
		}
	}
}
