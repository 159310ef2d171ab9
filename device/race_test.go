package device_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/weft-gpu/weft/device"
)

// TestRacePrinted: a race is a report wherever it is printed, also as an element of the list that weft.Device.Races returns.
func TestRacePrinted(t *testing.T) {
	races := []device.Race{{Kernel: "k.Sum", Kind: "two plain accesses", Name: "total[0]", Fix: "use gpu.AtomicAdd", Count: 3}}
	for _, text := range []string{fmt.Sprint(races[0]), fmt.Sprint(&races[0]), strings.Trim(fmt.Sprint(races), "[]"), fmt.Sprintf("%v", races[0])} {
		assert.True(t, strings.HasPrefix(text, "race in kernel k.Sum on total[0], 3 times: two plain accesses\n"), text)
		assert.True(t, strings.HasSuffix(text, "\n\twhat orders such accesses: use gpu.AtomicAdd"), text)
	}
	assert.Equal(t, "launches 2, cycles 7\n", fmt.Sprint(device.Report{Launches: 2, Cycles: 7}))
}
