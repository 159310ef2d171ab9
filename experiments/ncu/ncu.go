// Package ncu reads hardware counters by NVIDIA Nsight Compute: it runs a
// program under ncu, or reads the CSV that somebody else's ncu wrote.
package ncu

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sort"
	"strconv"
	"strings"
)

// Metrics are the counters that are asked for; the simulator counts under the
// same names.
var Metrics = []string{
	"gpu__time_duration.sum",
	"sm__cycles_elapsed.max",
	"smsp__inst_executed.sum",
	"smsp__thread_inst_executed.sum",
	"smsp__inst_executed_op_global_ld.sum",
	"smsp__inst_executed_op_global_st.sum",
	"smsp__inst_executed_op_global_atom.sum",
	"smsp__inst_executed_op_global_red.sum",
	"smsp__inst_executed_op_shared_ld.sum",
	"smsp__inst_executed_op_shared_st.sum",
	"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
	"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
	"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
	"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
	"l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum",
	"l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum",
	"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
	"lts__t_sectors_op_read.sum",
	"lts__t_sectors_op_write.sum",
	"lts__t_sectors_op_atom.sum",
	"lts__t_sectors_op_red.sum",
	"dram__bytes_read.sum",
	"dram__bytes_write.sum",
}

// Launch is what ncu says of one kernel launch.
type Launch struct {
	ID      int
	Kernel  string // entry point
	Metrics map[string]float64
}

// ErrMissing says that there is no ncu on this machine.
var ErrMissing = errors.New("ncu (Nsight Compute) is not installed: import its output with --ncu FILE.csv instead")

// Run runs a program under ncu with clocks left alone, and reads its counters.
func Run(ctx context.Context, env []string, program string, args ...string) ([]Launch, error) {
	path, err := exec.LookPath("ncu")
	if err != nil {
		return nil, ErrMissing
	}
	all := append([]string{"--clock-control", "none", "--csv", "--print-units", "base", "--metrics", strings.Join(Metrics, ","), program}, args...)
	cmd := exec.CommandContext(ctx, path, all...)
	cmd.Env = append(os.Environ(), env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("ncu: %w: %s", err, lastLine(errs.String()+out.String()))
	}
	return Parse("ncu", &out)
}

func lastLine(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return lines[len(lines)-1]
}

// Parse reads the output of "ncu --csv": a row a launch and metric. What the
// program itself printed before the header is passed over. name is the file's
// name in errors.
func Parse(name string, r io.Reader) ([]Launch, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	at := bytes.Index(text, []byte(`"ID",`))
	if at < 0 {
		return nil, fmt.Errorf("%s: no header of ncu --csv (a line that begins with \"ID\",)", name)
	}
	first := 1 + bytes.Count(text[:at], []byte("\n"))
	rows := csv.NewReader(bytes.NewReader(text[at:]))
	rows.FieldsPerRecord = -1
	header, err := rows.Read()
	if err != nil {
		return nil, fmt.Errorf("%s:%d: %w", name, first, err)
	}
	column := map[string]int{}
	for i, h := range header {
		column[h] = i
	}
	for _, want := range []string{"ID", "Kernel Name", "Metric Name", "Metric Value"} {
		if _, ok := column[want]; !ok {
			return nil, fmt.Errorf("%s:%d: no column %q", name, first, want)
		}
	}
	byID := map[int]*Launch{}
	for {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		line, _ := rows.FieldPos(0)
		line += first - 1
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, line, err)
		}
		if len(row) < len(header) {
			continue // what the program printed after its kernels
		}
		id, err := strconv.Atoi(row[column["ID"]])
		if err != nil {
			return nil, fmt.Errorf("%s:%d: launch number %q", name, line, row[column["ID"]])
		}
		value, err := strconv.ParseFloat(strings.ReplaceAll(row[column["Metric Value"]], ",", ""), 64)
		if err != nil {
			continue // a text, such as n/a
		}
		l := byID[id]
		if l == nil {
			l = &Launch{ID: id, Kernel: row[column["Kernel Name"]], Metrics: map[string]float64{}}
			byID[id] = l
		}
		l.Metrics[row[column["Metric Name"]]] = value
	}
	if len(byID) == 0 {
		return nil, fmt.Errorf("%s: no launches", name)
	}
	list := make([]Launch, 0, len(byID))
	for _, l := range byID {
		list = append(list, *l)
	}
	sort.Slice(list, func(i, j int) bool { return list[i].ID < list[j].ID })
	return list, nil
}

// Sum adds up the counters that add up (".sum") over launches.
func Sum(launches []Launch) map[string]float64 {
	total := map[string]float64{}
	for _, l := range launches {
		for name, v := range l.Metrics {
			if strings.HasSuffix(name, ".sum") {
				total[name] += v
			}
		}
	}
	return total
}
