package monitor_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
	"github.com/weft-gpu/weft/sim/monitor"
)

// freePort returns a port that is currently unused.
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
		assert.Contains(t, get("/api/field/"+url.PathEscape(`{"comp_name":"GPU","field_name":"Blocks"}`)), `"v":64`)
		assert.Contains(t, get("/api/resource"), `"memory_size":`)
		assert.Equal(t, "[]", get("/api/hangdetector/buffers"))
	}})
	require.NoError(t, err)
	defer d.Close()

	_, err = monitor.Start(t.Context(), d, "", 80)
	require.ErrorContains(t, err, "port 80 is not from 1024 to 65535")
	_, err = monitor.Start(t.Context(), d, "192.0.2.1", port)
	require.ErrorContains(t, err, "monitor: listen tcp 192.0.2.1:", "an address that is not ours")

	m, err = monitor.Start(t.Context(), d, "", port)
	require.NoError(t, err)
	defer m.Close()
	assert.Equal(t, fmt.Sprintf("http://127.0.0.1:%d/", port), m.URL())
	_, err = monitor.Start(t.Context(), d, "", port)
	require.ErrorContains(t, err, "in use")
	assert.Contains(t, get("/"), "<title>Akita")
	assert.Equal(t, `["GPU"]`, get("/api/list_components"))

	c, err := catalog.Kernels()
	require.NoError(t, err)
	k, err := c.Kernel(t.Context(), "internal/kernels/micro.Copy", nil)
	require.NoError(t, err)
	src, err := d.Alloc("src", device.U32, 1<<16)
	require.NoError(t, err)
	dst, err := d.Alloc("dst", device.U32, 1<<16)
	require.NoError(t, err)
	_, err = d.Launch(context.Background(), device.Launch{Kernel: k, Grid: 64, Block: 64, Args: []any{dst, src}})
	require.NoError(t, err)
	assert.True(t, asked)
	assert.NotEqual(t, `{"now":0.0000000000}`, get("/api/now"))
}

// machine returns a device and a launch on it that ends only with its context.
func machine(t *testing.T, progress func(sim.Progress)) (d *sim.Device, launch func(ctx context.Context) error) {
	t.Helper()
	g, err := config.Load("tiny")
	require.NoError(t, err)
	d, err = sim.New(g, sim.Options{Progress: progress})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	c, err := catalog.Kernels()
	require.NoError(t, err)
	k, err := c.Kernel(t.Context(), "internal/kernels/micro.Copy", nil)
	require.NoError(t, err)
	src, err := d.Alloc("src", device.U32, 1<<16)
	require.NoError(t, err)
	dst, err := d.Alloc("dst", device.U32, 1<<16)
	require.NoError(t, err)
	return d, func(ctx context.Context) error {
		for {
			if _, err := d.Launch(ctx, device.Launch{Kernel: k, Grid: 64, Block: 64, Args: []any{dst, src}}); err != nil {
				return err
			}
		}
	}
}

// TestPauseEnds checks that a paused simulation still obeys its context, and cannot be paused again afterwards.
func TestPauseEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var m *monitor.Monitor
	d, launch := machine(t, func(p sim.Progress) { m.Progress(p) })
	m, err := monitor.Start(ctx, d, "", freePort(t))
	require.NoError(t, err)
	defer m.Close()
	get := func(path string) int {
		r, err := http.Get(m.URL() + path)
		require.NoError(t, err)
		require.NoError(t, r.Body.Close())
		return r.StatusCode
	}
	done := make(chan error)
	go func() { done <- launch(ctx) }()
	assert.Equal(t, http.StatusOK, get("api/pause"))
	before := d.Engine().CurrentTime()
	assert.Equal(t, http.StatusOK, get("api/pause"), "twice is no harm")
	assert.Equal(t, before, d.Engine().CurrentTime(), "it stands")
	assert.Equal(t, http.StatusOK, get("api/continue"))
	assert.Equal(t, http.StatusOK, get("api/pause"))
	cancel()
	require.ErrorIs(t, <-done, context.Canceled)
	assert.Equal(t, http.StatusConflict, get("api/pause"))
}

// TestCloseContinues checks that closing the page does not end the simulation.
func TestCloseContinues(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	ran := make(chan bool, 1)
	d, launch := machine(t, func(sim.Progress) {
		select {
		case ran <- true:
		default:
		}
	})
	m, err := monitor.Start(ctx, d, "", freePort(t))
	require.NoError(t, err)
	r, err := http.Get(m.URL() + "api/pause")
	require.NoError(t, err)
	require.NoError(t, r.Body.Close())
	done := make(chan error)
	go func() { done <- launch(ctx) }()
	require.NoError(t, m.Close())
	<-ran
	cancel()
	require.ErrorIs(t, <-done, context.Canceled)
}

// TestForeign checks that foreign web pages cannot make a browser control a simulation, and that other machines cannot
// reach it.
func TestForeign(t *testing.T) {
	d, _ := machine(t, nil)
	port := freePort(t)
	m, err := monitor.Start(t.Context(), d, "", port)
	require.NoError(t, err)
	defer m.Close()
	for _, c := range []struct {
		host, site string
		want       int
	}{
		{"", "", http.StatusOK},
		{"localhost:1", "none", http.StatusOK},
		{"[::1]:1", "same-origin", http.StatusOK},
		{"127.0.0.1", "", http.StatusOK},
		{"127.0.0.1", "cross-site", http.StatusForbidden},
		{"127.0.0.1", "same-site", http.StatusForbidden},
		{"rebound.example:8080", "same-origin", http.StatusForbidden},
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, m.URL()+"api/continue", nil)
		require.NoError(t, err)
		req.Host = c.host
		if c.site != "" {
			req.Header.Set("Sec-Fetch-Site", c.site)
		}
		r, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		require.NoError(t, r.Body.Close())
		assert.Equal(t, c.want, r.StatusCode, "%v", c)
	}
	interfaces, err := net.InterfaceAddrs()
	require.NoError(t, err)
	for _, a := range interfaces {
		ip, ok := a.(*net.IPNet)
		if !ok || ip.IP.IsLoopback() || ip.IP.IsLinkLocalUnicast() {
			continue
		}
		_, err := net.Dial("tcp", net.JoinHostPort(ip.IP.String(), fmt.Sprint(port)))
		assert.Error(t, err, "%s is not listened at", ip.IP)
	}
	for _, bad := range []string{"api/field/x", "api/component/nobody", "api/traffic/GPU", "api/tick/GPU", "debug/pprof/"} {
		r, err := http.Get(m.URL() + bad)
		require.NoError(t, err)
		require.NoError(t, r.Body.Close())
		assert.GreaterOrEqual(t, r.StatusCode, 400, bad)
	}
}
