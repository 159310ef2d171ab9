package format

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestNumbers(t *testing.T) {
	assert.Equal(t, "0", Thousands(0))
	assert.Equal(t, "999", Thousands(999))
	assert.Equal(t, "-1,234,567", Thousands(-1234567))
	assert.Equal(t, "18,446,744,073,709,551,615", Thousands(uint64(math.MaxUint64)))

	assert.Equal(t, "12,345", Number(12345))
	assert.Equal(t, "12,346", Number(12345.6))
	assert.Equal(t, "12.35", Number(12.3456))
	assert.Equal(t, "0.00123", Number(0.0012345))
	assert.Equal(t, "-", Number(math.NaN()))
	assert.Equal(t, "-", Number(math.Inf(1)))

	assert.Equal(t, "12.3 M", Scaled(12.34e6))
	assert.Equal(t, "999", Scaled(999))

	assert.Equal(t, "3.21 ms", Seconds(0.003210))
	assert.Equal(t, "12.3 us", Seconds(12.3e-6))
	assert.Equal(t, "123 s", Seconds(123.4))
	assert.Equal(t, "5.00 ns", Seconds(5e-9))
}

func TestTable(t *testing.T) {
	var b strings.Builder
	Table(&b, "> ", "lrl", [][]string{{"a", "1", "x"}, {"bcd", "1,234", ""}, {"é", "", "y"}})
	assert.Equal(t, "> a        1  x\n> bcd  1,234\n> é           y\n", b.String())
}
