package microbench

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/kernels/micro"
	"github.com/weft-gpu/weft/internal/service/devices"
)

func TestRows(t *testing.T) {
	all, err := Rows("", true)
	require.NoError(t, err)
	light, err := Rows("", false)
	require.NoError(t, err)
	assert.Len(t, Single.LeftOut("", false), len(all)-len(light))
	assert.NotEmpty(t, Single.LeftOut("", false))
	assert.Empty(t, Single.LeftOut("", true))
	for only, want := range map[string]string{
		"(":                      "--only: error parsing regexp: missing closing ): `(`",
		"nothing-like-this":      `--only: no row matches "nothing-like-this"`,
		"dependent.*DRAM, 512 M": `--only: the rows that match "dependent.*DRAM, 512 M" have large footprints and are left out: 1`,
	} {
		_, err := Rows(only, false)
		assert.EqualError(t, err, want)
	}
}

func TestTableOf(t *testing.T) {
	spec, err := devices.New("sim:tiny", devices.Options{})
	require.NoError(t, err)
	rows, err := TableOf(spec).Rows("", true)
	require.NoError(t, err)
	assert.Len(t, rows, len(micro.Rows()))
	rows, err = Group.Rows("^copies", false)
	require.NoError(t, err)
	assert.Equal(t, "copies between GPUs", rows[0].Group)
	assert.Contains(t, Group.LeftOut("", false), "copies between GPUs: one direction, 256 MiB")
}

func TestMeasure(t *testing.T) {
	rows, err := Rows("^warp: shuffle", false)
	require.NoError(t, err)
	spec, err := devices.New("sim:tiny", devices.Options{Seed: 1})
	require.NoError(t, err)
	var none strings.Builder
	values, err := Measure(t.Context(), spec, rows, 0, &none)
	require.NoError(t, err)
	require.Len(t, values, len(rows))
	require.NoError(t, Failed(values))
	var out strings.Builder
	(&Report{Rows: values, LeftOut: []string{"g: long"}}).Text(&out)
	assert.Regexp(t, `(?m)^warp +`+rows[0].Name+" +[0-9.]+ +cycle ", out.String())
	assert.Contains(t, out.String(), "\nleft out without --heavy: 1 rows\n  g: long\n")
	assert.EqualError(t, Failed([]micro.Value{{Group: "g", Name: "n", Err: errors.New("no room")}}), "micro: g: n: no room")
}
