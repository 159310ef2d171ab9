package difftest

import (
	"fmt"
	"os"
	"testing"

	"github.com/weft-gpu/weft/internal/testing/difftest/corpus"
	"github.com/weft-gpu/weft/internal/testing/difftest/generate"
)

// TestMain runs the tests with the generated kernels: plain Go can only run what
// is compiled in, so these are built once more, with the same flags.
func TestMain(m *testing.M) {
	if len(corpus.Kernels) > 0 {
		os.Exit(m.Run())
	}
	code, err := generate.Rebuilt("../../..", "./internal/testing/difftest", os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "cannot build the tests with the generated kernels:", err)
		code = 2
	}
	os.Exit(code)
}
