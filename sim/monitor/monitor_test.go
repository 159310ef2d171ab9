package monitor_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/experiments/catalog"
	"github.com/weft-gpu/weft/internal/ir"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
	"github.com/weft-gpu/weft/sim/monitor"
)

// freePort is a port that nobody listens at just now.
func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "localhost:0")
	require.NoError(t, err)
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

func TestPage(t *testing.T) {
	g, err := config.Load("tiny")
	require.NoError(t, err)
	var m *monitor.Monitor
	port := freePort(t)
	get := func(path string) string {
		t.Helper()
		c := http.Client{Timeout: 10 * time.Second}
		r, err := c.Get(fmt.Sprintf("http://localhost:%d%s", port, path))
		require.NoError(t, err)
		defer r.Body.Close()
		require.Equal(t, http.StatusOK, r.StatusCode, path)
		b, err := io.ReadAll(r.Body)
		require.NoError(t, err)
		return string(b)
	}
	asked := false
	d, err := sim.New(g, sim.Options{Progress: func(p sim.Progress) {
		m.Progress(p)
		if asked { // once, in the middle of a launch
			return
		}
		asked = true
		var bars []struct {
			Name  string `json:"name"`
			Total uint64 `json:"total"`
		}
		require.NoError(t, json.Unmarshal([]byte(get("/api/progress")), &bars))
		require.Len(t, bars, 1)
		assert.Equal(t, uint64(64), bars[0].Total)
		assert.Contains(t, bars[0].Name, "Copy")
		assert.Contains(t, get("/api/component/GPU"), "Instructions")
	}})
	require.NoError(t, err)
	defer d.Close()

	_, err = monitor.Start(d, 80)
	require.ErrorContains(t, err, "port 80 is not from 1024 to 65535")
	taken, err := net.Listen("tcp", ":0")
	require.NoError(t, err)
	_, err = monitor.Start(d, taken.Addr().(*net.TCPAddr).Port)
	require.ErrorContains(t, err, "in use")
	require.NoError(t, taken.Close())

	m, err = monitor.Start(d, port)
	require.NoError(t, err)
	_, err = monitor.Start(d, port)
	require.ErrorContains(t, err, "there is one already")
	assert.Contains(t, get("/"), "<title>Akita")
	assert.Equal(t, `["GPU"]`, get("/api/list_components"))

	c, err := catalog.Kernels()
	require.NoError(t, err)
	k, err := c.Kernel("kernels/micro.Copy", nil)
	require.NoError(t, err)
	src, err := d.Alloc("src", ir.U32, 1<<16)
	require.NoError(t, err)
	dst, err := d.Alloc("dst", ir.U32, 1<<16)
	require.NoError(t, err)
	_, err = d.Launch(context.Background(), device.Launch{Kernel: k, Grid: 64, Block: 64, Args: []any{dst, src}})
	require.NoError(t, err)
	assert.True(t, asked)
	assert.NotEqual(t, `{"now":0.0000000000}`, get("/api/now"))
}
