package readptx_test

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/readptx"
	"github.com/weft-gpu/weft/internal/function"
)

// statements are those of all tests of instructions.
func statements() (list []string) {
	for _, c := range cases {
		code := strings.TrimSpace(c[:strings.LastIndex(c[:strings.LastIndex(c, "|")], "|")])
		list = append(list, strings.Split(code, "; ")...)
	}
	return list
}

var someOperand = regexp.MustCompile(`%(?:r|rd|rs|f|fd|p)\d|\b\d+\b`)

// shuffled returns statements, two bytes for each, of which a third byte changes one register or number.
func shuffled(pool []string, data []byte) string {
	const most = 24
	var s strings.Builder
	for n := 0; len(data) >= 3 && n < most; n, data = n+1, data[3:] {
		one := pool[(int(data[0])<<8|int(data[1]))%len(pool)]
		if places := someOperand.FindAllStringIndex(one, -1); len(places) > 0 && data[2] != 0 {
			at := places[int(data[2]/10)%len(places)]
			one = one[:at[1]-1] + strconv.Itoa(int(data[2]%10)) + one[at[1]:]
		}
		s.WriteString(one)
		s.WriteString("; ")
	}
	return s.String() + "bar.warp.sync -1"
}

// FuzzRun reads, builds and executes kernels of statements in any order: each ends, or with an error that is one of a kernel, and never
// with a crash.
func FuzzRun(f *testing.F) {
	pool := statements()
	require.Greater(f, len(pool), 500)
	f.Add(uint8(0), []byte{0, 0, 0, 0, 1, 21, 1, 200, 3})
	f.Add(uint8(1), []byte{2, 1, 0, 2, 2, 0, 2, 3, 0, 2, 4, 0})
	f.Add(uint8(2), []byte{1, 40, 7, 1, 41, 9, 2, 80, 0, 2, 81, 13, 2, 82, 0, 0, 90, 1})
	f.Fuzz(func(t *testing.T, how uint8, data []byte) {
		code := shuffled(pool, data)
		m, err := readptx.Read("test.ptx", []byte(program(t, code, nil, []register{{name: "r0"}, {name: "rd0"}, {name: "f0"}, {name: "fd0"}})))
		if err != nil {
			return
		}
		k, err := m.Kernel("k")
		if err != nil {
			require.NotContains(t, err.Error(), "the reader made a kernel that is not valid", code)
			return
		}
		options := function.Options{Budget: 3000, AllowUnwritten: how&1 != 0}
		if how&2 != 0 {
			options.Races = device.NewRaces()
		}
		dev := function.New(options)
		var buffers []device.Buffer
		for range 3 {
			b, err := dev.Alloc("b", device.U8, 64*8*slots)
			require.NoError(t, err)
			require.NoError(t, dev.Write(b, make([]byte, 64*8*slots)))
			buffers = append(buffers, b)
		}
		_, err = dev.Launch(t.Context(), device.Launch{Kernel: k.ForHost(), Grid: 1 + int(how>>2&1), Block: 32 + int(how>>3), Unexplained: true,
			Args: []any{buffers[0], buffers[1], buffers[2], [2]uint64{1, 2}}})
		var fault *device.Fault
		var hang *device.HangError
		var open *device.UndecidedError
		var arg *device.ArgError
		require.True(t, err == nil || errors.As(err, &fault) || errors.As(err, &hang) || errors.As(err, &open) || errors.As(err, &arg), "%v: %s", err, code)
	})
}
