package monitor

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"runtime/pprof"
	"slices"
	"strings"
	"time"

	"github.com/google/pprof/profile"
	"github.com/sarchlab/akita/v3/monitoring/web"
	"github.com/shirou/gopsutil/process"
	"github.com/syifan/goseth"
)

// handler answers the requests of Akita's page. The page can also tick a component and run the engine; these requests
// have no effect here.
func (m *Monitor) handler(address string) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/api/pause", func(w http.ResponseWriter, _ *http.Request) {
		if !m.pause() {
			http.Error(w, "the run is ending", http.StatusConflict)
		}
	})
	mux.HandleFunc("/api/continue", func(http.ResponseWriter, *http.Request) { m.resume() })
	mux.HandleFunc("/api/run", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("/api/now", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, "{\"now\":%.10f}", m.engine.CurrentTime())
	})
	mux.HandleFunc("/api/list_components", func(w http.ResponseWriter, _ *http.Request) { answer(w, []string{m.status.Name()}, nil) })
	mux.HandleFunc("/api/component/{name}", func(w http.ResponseWriter, r *http.Request) { m.component(w, r.PathValue("name"), nil) })
	mux.HandleFunc("/api/field/{json}", m.field)
	mux.HandleFunc("/api/hangdetector/buffers", func(w http.ResponseWriter, _ *http.Request) { answer(w, []string{}, nil) })
	mux.HandleFunc("/api/progress", func(w http.ResponseWriter, _ *http.Request) {
		m.mu.Lock()
		bars := []bar{}
		if m.launches > 0 {
			bars = append(bars, m.bar)
		}
		m.mu.Unlock()
		answer(w, bars, nil)
	})
	mux.HandleFunc("/api/resource", resource)
	mux.HandleFunc("/api/profile", cpuProfile)
	mux.HandleFunc("/api/", http.NotFound)
	mux.Handle("/", http.FileServer(web.GetAssets()))
	return ours(address, mux)
}

// ours rejects requests that a foreign page makes a browser send: those that browsers mark as cross-site, and those
// for a host name that resolves to this machine but is not one of its names (any name in the Internet can be given any
// address).
func ours(address string, next http.Handler) http.Handler {
	names := []string{"localhost", address}
	if name, err := os.Hostname(); err == nil {
		names = append(names, name)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = r.Host
		}
		host = strings.Trim(host, "[]")
		named := net.ParseIP(host) != nil || slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, host) })
		site := r.Header.Get("Sec-Fetch-Site")
		if !named || (site != "" && site != "same-origin" && site != "none") {
			http.Error(w, "only the user who runs the simulation can use this page", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// answer sends a value as JSON, or an error.
func answer(w http.ResponseWriter, v any, err error) {
	var b []byte
	if err == nil {
		b, err = json.Marshal(v)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(b) // ignored: the client may have disconnected
}

// field answers a request for one field of a component.
func (m *Monitor) field(w http.ResponseWriter, r *http.Request) {
	var of struct {
		Component string `json:"comp_name"`
		Field     string `json:"field_name"`
	}
	if err := json.Unmarshal([]byte(r.PathValue("json")), &of); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	m.component(w, of.Component, strings.Split(of.Field, "."))
}

// component sends the GPU, or a field of it, in the page's format.
func (m *Monitor) component(w http.ResponseWriter, name string, field []string) {
	if name != m.status.Name() {
		http.Error(w, "there is no such component", http.StatusNotFound)
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var b bytes.Buffer
	s := goseth.NewSerializer()
	s.SetRoot(m.status)
	s.SetMaxDepth(1)
	if field != nil {
		if err := s.SetEntryPoint(field); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
	}
	if err := s.Serialize(&b); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	_, _ = w.Write(b.Bytes()) // ignored: the client may have disconnected
}

// resource reports the CPU and memory use of this process.
func resource(w http.ResponseWriter, _ *http.Request) {
	var use struct {
		CPU    float64 `json:"cpu_percent"`
		Memory uint64  `json:"memory_size"`
	}
	p, err := process.NewProcess(int32(os.Getpid()))
	if err == nil {
		use.CPU, err = p.CPUPercent()
	}
	if err == nil {
		var mem *process.MemoryInfoStat
		if mem, err = p.MemoryInfo(); err == nil {
			use.Memory = mem.RSS
		}
	}
	answer(w, use, err)
}

// cpuProfile profiles this process for one second.
func cpuProfile(w http.ResponseWriter, r *http.Request) {
	var b bytes.Buffer
	if err := pprof.StartCPUProfile(&b); err != nil {
		answer(w, nil, err)
		return
	}
	select {
	case <-time.After(time.Second):
	case <-r.Context().Done():
	}
	pprof.StopCPUProfile()
	prof, err := profile.ParseData(b.Bytes())
	answer(w, prof, err)
}
