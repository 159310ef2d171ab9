package catalog_test

import (
	"os"
	"testing"

	"github.com/weft-gpu/weft/internal/testing/golden"
)

func TestMain(m *testing.M) { os.Exit(golden.Run(m, "testdata/errors/*.txt")) }
