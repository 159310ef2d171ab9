package reject

import (
	"fmt"
	"math"
	"math/bits"
	"os"
	"sync/atomic"
	"unsafe"

	"github.com/weft-gpu/weft/gpu"
)

func Imports(t gpu.Thread, a []uint32) {
	fmt.Println(os.Args, math.Pi, bits.Len32(a[0]), atomic.AddUint32(&a[0], 1), unsafe.Sizeof(a))
}
