package graph

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestHashWeight checks the rule, on which recorded results depend. Another program
// computed the values from the words of HashRule.
func TestHashWeight(t *testing.T) {
	for _, test := range []struct{ u, v, want uint32 }{
		{0, 1, 37}, {1, 2, 45}, {7, 7, 52}, {123456, 654321, 24}, {0, 4294967294, 4},
	} {
		assert.Equal(t, test.want, HashWeight(test.u, test.v), "%d-%d", test.u, test.v)
		assert.Equal(t, test.want, HashWeight(test.v, test.u), "%d-%d", test.v, test.u)
	}
	var seen [MaxHashWeight + 1]int
	for u := range uint32(200) {
		for v := range u {
			seen[HashWeight(u, v)]++
		}
	}
	assert.Zero(t, seen[0])
	for w := 1; w <= MaxHashWeight; w++ {
		assert.InDelta(t, 19900/64, seen[w], 100, "weight %d", w)
	}
}

func TestWithWeights(t *testing.T) {
	g := open(t, "testdata/karate.mtx.gz")
	h, assigned, err := g.WithWeights(t.Context())
	require.NoError(t, err)
	assert.True(t, assigned)
	assert.Nil(t, g.Weight, "the graph itself stays")
	require.NoError(t, h.Validate(), "symmetric with weights")
	assert.Equal(t, HashWeight(0, h.Col[0]), h.Weight[0])
	same, assigned, err := h.WithWeights(t.Context())
	require.NoError(t, err)
	assert.False(t, assigned)
	assert.Same(t, h, same)
}

// decimals are numbers as they occur in files, valid and invalid.
var decimals = []string{
	"0", "-0", "+0.000", "0e99", "7", "+7", "-7", "007", "7.", ".7", "7.000", "0.7e1", "70e-1", "7e0", "7E+1", "1.5e1", "1.55e1",
	"4294967295", "4294967295.0", "42949672950e-1", "4294967296", "4294967295.5", "0.4294967295e10", "0.00000000004294967295e20",
	"1e-400", "1e400", "0.99999999999999999999", "1.00000000000000000000000000000000", "1.00000000000000000000000000000001",
	"4294967294.99999999999999999", "100000000000000000000e-20", "123456789012345678901234567890", "1" + strings.Repeat("0", 400) + "e-400",
	"0." + strings.Repeat("0", 400) + "1e401", "1e99999999999999999999", "0e99999999999999999999", "1e-99999999999999999999",
	"18446744073709551616", "18446744073709551617e0", "184467440737095516170", "1844674407370955161.8e1",
	"", ".", "-", "+", "e5", "1e", "1e+", "1e+-1", "--1", "1..2", "1.2.3", "1e5.0", "1x", "nan", "inf", "0x10", "1_000", "1e5e5",
}

// checkDecimal compares the parsed value with exact arithmetic.
func checkDecimal(t *testing.T, text string) {
	t.Helper()
	w, whole, ok := decimal([]byte(text))
	_, err := strconv.ParseFloat(text, 64)
	isNumber := (err == nil || err.(*strconv.NumError).Err == strconv.ErrRange) && strings.Trim(text, "+-.0123456789eE") == ""
	require.Equal(t, isNumber, ok, "%q", text)
	if !ok {
		return
	}
	if _, e, has := strings.Cut(strings.ToLower(text), "e"); has && len(strings.TrimLeft(e, "+-0")) > 4 {
		return // more digits than exact arithmetic has time for
	}
	exact, good := new(big.Rat).SetString(text)
	require.True(t, good, "%q", text)
	fits := exact.IsInt() && exact.Sign() >= 0 && exact.Num().Cmp(big.NewInt(math.MaxUint32)) <= 0
	require.Equal(t, fits, whole, "%q", text)
	if whole {
		require.Equal(t, exact.Num().Uint64(), uint64(w), "%q", text)
	}
}

func TestDecimal(t *testing.T) {
	for _, text := range decimals {
		checkDecimal(t, text)
	}
	for text, want := range map[string]bool{"1e99999999999999999999": false, "1e-99999999999999999999": false, "0e99999999999999999999": true} {
		_, whole, ok := decimal([]byte(text))
		assert.True(t, ok, text)
		assert.Equal(t, want, whole, text)
	}
}

func FuzzDecimal(f *testing.F) {
	for _, text := range decimals {
		f.Add(text)
	}
	f.Fuzz(checkDecimalAny)
}

// checkDecimalAny skips strings that cannot be a word of a file.
func checkDecimalAny(t *testing.T, text string) {
	if len(text) < 1000 {
		checkDecimal(t, text)
	}
}

// A file with invalid weights is rejected if weights were requested; otherwise the graph
// says why it has none.
func TestWeightsThatCannotBeUsed(t *testing.T) {
	const (
		banner = "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 3\n"
		rest   = " is not a valid weight: weights are whole numbers from 0 to 4294967295 (1 value in the file is invalid)"
	)
	for _, test := range []struct{ name, file, text, want string }{
		{"negative", "a.mtx", banner + "2 1 -1\n", `a.mtx:4: "-1"`},
		{"fraction", "a.mtx", banner + "2 1 1.5\n", `a.mtx:4: "1.5"`},
		{"nearly 1", "a.mtx", banner + "2 1 0.99999999999999999999\n", `a.mtx:4: "0.99999999999999999999"`},
		{"nearly 0", "a.mtx", banner + "2 1 1e-400\n", `a.mtx:4: "1e-400"`},
		{"large", "a.mtx", banner + "2 1 4294967296\n", `a.mtx:4: "4294967296"`},
		{"very large", "a.mtx", banner + "2 1 1e400\n", `a.mtx:4: "1e400"`},
		{"edge list", "a.txt", "0 1 2\n1 2 -3\n", `a.txt:2: "-3"`},
		{"dimacs", "a.gr", "p sp 2 1\na 1 2 0.5\n", `a.gr:2: "0.5"`},
		{"metis", "a.graph", "2 1 1\n2 1\n1 -1\n", `a.graph:3: "-1"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, mode := range []WeightMode{WeightsFile, WeightsAlways} {
				g, _, err := read(test.file, test.text, LoadOptions{Weights: mode})
				require.EqualError(t, err, test.want+rest)
				require.ErrorIs(t, err, ErrWeights)
				assert.Nil(t, g)
			}
			g, _ := mustRead(t, test.file, test.text, LoadOptions{})
			require.EqualError(t, g.BadWeights, test.want+rest)
			assert.EqualError(t, symmetrized(t, g).BadWeights, test.want+rest)
			for _, mode := range []WeightMode{WeightsHash, WeightsUnit, WeightsNone} {
				g, _ := mustRead(t, test.file, test.text, LoadOptions{Weights: mode})
				assert.NoError(t, g.BadWeights)
			}
		})
	}
	for file, text := range map[string]string{
		"a.mtx": "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n", "a.txt": "0 1\n", "a.graph": "2 1\n2\n1\n",
	} {
		_, _, err := read(file, text, LoadOptions{Weights: WeightsFile})
		require.EqualError(t, err, file+": the weights of the file are requested, but it has none")
		require.ErrorIs(t, err, ErrWeights)
	}
	_, _, err := Open(t.Context(), "grid:width=2", LoadOptions{Weights: WeightsFile})
	require.EqualError(t, err, "generator grid makes no weights, but the weights of a file are requested")
}
