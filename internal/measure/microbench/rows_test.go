package microbench

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/testing/golden"
)

const asynchronous = "../../../results/hw/asynchronous/"

// tableOf compares the table of the README.md of a folder between two marks with what it should be.
func tableOf(t *testing.T, folder, begin string, want bytes.Buffer) {
	const end = "<!-- to here -->"
	file := folder + "README.md"
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	head, rest, ok := strings.Cut(string(text), begin)
	require.True(t, ok)
	table, tail, ok := strings.Cut(rest, end)
	require.True(t, ok)
	if golden.Updating() {
		table = "\n" + want.String() + "\n"
		require.NoError(t, os.WriteFile(file, []byte(head+begin+table+end+tail), 0o644))
	}
	assert.Equal(t, strings.TrimSpace(table), strings.TrimSpace(want.String()), "go test ./internal/measure/microbench -update writes it again")
}

// TestAsynchronous compares the table of results/hw/asynchronous with the rows beside it.
func TestAsynchronous(t *testing.T) {
	var got bytes.Buffer
	require.NoError(t, CompareRows(&got, Asynchronous, asynchronous+"sim-h200.csv", asynchronous+"h200-asynchronous.csv"))
	tableOf(t, asynchronous, "<!-- from sim-h200.csv -->\n", got)
	assert.ErrorContains(t, CompareRows(&got, Asynchronous, "rows.go", asynchronous+"h200-asynchronous.csv"), "rows.go: strconv.ParseFloat")
}

// TestPorts compares the table of results/hw/ports with the rows beside it.
func TestPorts(t *testing.T) {
	const ports = "../../../results/hw/ports/"
	var got bytes.Buffer
	require.NoError(t, CompareRows(&got, Ports, ports+"sim-h200.csv", ports+"h200-ports.csv"))
	tableOf(t, ports, "<!-- from sim-h200.csv -->\n", got)
}

// TestSpread does the same for SMs here and there.
func TestSpread(t *testing.T) {
	const ports = "../../../results/hw/ports/"
	var got bytes.Buffer
	require.NoError(t, CompareRows(&got, Spread, ports+"sim-h200-spread.csv", ports+"h200-spread.csv"))
	tableOf(t, ports, "<!-- from sim-h200-spread.csv -->\n", got)
}

// TestPanels compares the table of tiles for many SMs in results/hw/asynchronous with the rows beside it.
func TestPanels(t *testing.T) {
	var got bytes.Buffer
	require.NoError(t, CompareRows(&got, Panels, asynchronous+"sim-h200-panels.csv", asynchronous+"h200-panels.csv"))
	tableOf(t, asynchronous, "<!-- from sim-h200-panels.csv -->\n", got)
}

// TestSends compares the table of copies to other blocks in results/hw/asynchronous with the rows beside it.
func TestSends(t *testing.T) {
	var got bytes.Buffer
	require.NoError(t, CompareRows(&got, Sends, asynchronous+"sim-h200-sends.csv", asynchronous+"h200-sends.csv"))
	tableOf(t, asynchronous, "<!-- from sim-h200-sends.csv -->\n", got)
}

// TestArrivals does the same for what the parts of such a round cost alone.
func TestArrivals(t *testing.T) {
	var got bytes.Buffer
	require.NoError(t, CompareRows(&got, Arrivals, asynchronous+"sim-h200-arrivals.csv", asynchronous+"h200-arrivals.csv"))
	tableOf(t, asynchronous, "<!-- from sim-h200-arrivals.csv -->\n", got)
}

// TestChains compares the tables of results/hw/chains with the rows beside them.
func TestChains(t *testing.T) {
	const chains = "../../../results/hw/chains/"
	var errors, rates bytes.Buffer
	require.NoError(t, CompareRows(&errors, Chains, chains+"sim-h200-chains.csv", chains+"h200-chains.csv"))
	tableOf(t, chains, "<!-- errors, from sim-h200-chains.csv -->\n", errors)
	require.NoError(t, PairRates(&rates, chains+"h200-chains.csv", chains+"sim-h200-chains.csv"))
	tableOf(t, chains, "<!-- pairs, from sim-h200-chains.csv -->\n", rates)
	assert.ErrorContains(t, PairRates(&rates, "rows.go", chains+"h200-chains.csv"), "rows.go: strconv.ParseFloat")
}
