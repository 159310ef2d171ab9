package calibration

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/internal/base/infile"
	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/kernels/micro"
	"github.com/weft-gpu/weft/internal/service/option"
	"github.com/weft-gpu/weft/results"
)

// The files of a record that a calibration reads, and the length of the longest that is plausible.
const (
	tableFile, metaFile = "micro.json", "meta.json"
	maxTable            = 4 << 20
)

// howToRecord is what to do about a record that lacks something.
const howToRecord = "\"weft record --parts micro\" writes the table, and what the driver says of the GPU"

// Recording is the recorded table of a GPU's micro-kernels, with what the driver said of the GPU.
type Recording struct {
	Folder string // as the user named it
	Meta   results.Meta
	rows   map[string]results.Micro // by name
}

// Table returns the path of the table.
func (r *Recording) Table() string { return filepath.Join(r.Folder, tableFile) }

// nameOf returns the whole name of a row: "latency: dependent load, plain, L1, 16 KiB".
func nameOf(group, name string) string { return group + ": " + name }

// Read reads a record from the folder that weft record has written. It refuses a table that lacks rows of the steps, or has a row
// that this program does not know, twice, or in another unit. A row that failed is no mistake: a small GPU cannot run all.
func Read(ctx context.Context, folder string) (*Recording, error) {
	r := &Recording{Folder: folder, rows: map[string]results.Micro{}}
	var list []results.Micro
	if info, err := os.Stat(folder); err == nil && !info.IsDir() {
		return nil, usage.Errorf(howToRecord, "%s is no folder of weft record", folder)
	}
	if err := r.file(ctx, tableFile, "table of micro-kernels", &list); err != nil {
		return nil, err
	}
	if err := r.file(ctx, metaFile, "description of a record", &r.Meta); err != nil {
		return nil, err
	}
	return r, r.check(list)
}

// file reads a file of the record.
func (r *Recording) file(ctx context.Context, name, what string, into any) error {
	path := filepath.Join(r.Folder, name)
	text, err := infile.ReadAll(ctx, path, maxTable)
	if errors.Is(err, fs.ErrNotExist) {
		return usage.Errorf(howToRecord, "%s has no %s: %s is not there", r.Folder, what, name)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		return usage.Errorf(howToRecord, "%s is no %s: %v", path, what, err)
	}
	return nil
}

// check adds the rows of a table.
func (r *Recording) check(list []results.Micro) error {
	known := map[string]micro.Row{}
	for _, row := range micro.Rows() {
		known[nameOf(row.Group, row.Name)] = row
	}
	if !slices.ContainsFunc(list, func(m results.Micro) bool { return known[nameOf(m.Group, m.Name)].Name != "" }) {
		return usage.Errorf(howToRecord, "%s is no table of micro-kernels: none of its %d rows is one", r.Table(), len(list))
	}
	var wrong []string
	for _, m := range list {
		name := nameOf(m.Group, m.Name)
		row, ok := known[name]
		_, twice := r.rows[name]
		switch {
		case !ok:
			wrong = append(wrong, fmt.Sprintf("unknown row %q: another version of weft has recorded it", name))
		case twice:
			wrong = append(wrong, fmt.Sprintf("row %q is there twice", name))
		case m.Unit != row.Unit:
			wrong = append(wrong, fmt.Sprintf("row %q is in %s, and not in %s", name, m.Unit, row.Unit))
		case m.Error == "" && !(m.Median > 0):
			wrong = append(wrong, fmt.Sprintf("row %q is %g", name, m.Median))
		}
		r.rows[name] = m
	}
	for _, s := range Steps() {
		for _, name := range s.names() {
			if _, ok := r.rows[name]; !ok {
				wrong = append(wrong, fmt.Sprintf("no row %q, to which %s is fitted", name, s.Parameter))
			}
		}
	}
	if len(wrong) > 0 {
		return usage.Errorf(howToRecord, "%s: %s", r.Table(), strings.Join(wrong, "\n\t"))
	}
	return nil
}

// fact is a value that the driver says, or that follows from what it says.
type fact struct{ parameter, value, source string }

// facts returns what the record says of the GPU.
func (r *Recording) facts() (list []fact) {
	m := &r.Meta
	add := func(parameter string, value int, source string) {
		if value > 0 {
			list = append(list, fact{parameter, fmt.Sprint(value), source})
		}
	}
	where := filepath.Join(r.Folder, metaFile)
	add("clock.sm", m.ClockMHz, where)
	add("clock.l2", m.ClockMHz, "the rows are in cycles of the SMs' clock, "+where)
	add("sm.count", m.SMs, where)
	list = append(list, fact{"sm.registers_from", results.DeviceName(m.GPU), "the GPU that " + where + " names"})
	p := m.Properties
	if p == nil {
		return list
	}
	add("sm.threads", p.Threads, where)
	add("sm.warps", p.Threads/32, "32 threads each, "+where)
	add("sm.blocks", p.Blocks, where)
	add("sm.registers", p.Registers, where)
	add("sm.block_registers", p.Registers, where)
	add("sm.shared_bytes", p.SharedBytes, where)
	add("sm.shared_block", p.SharedBlock, where)
	add("sm.shared_reserve", p.SharedReserve, where)
	const array = 32 << 10
	add("l1.bytes", (p.SharedBytes/array+1)*array, "the next multiple of 32 KiB above the shared memory, as on all GPUs since Volta, "+where)
	add("l2.bytes", p.L2Bytes, where)
	add("dram.capacity", int(p.Memory>>20), where)
	add("dram.channels", p.BusBits/64, "64 bits of the bus each, "+where)
	add("dram.bandwidth", int(2*float64(m.MemoryMHz)*float64(p.BusBits)/8/1000+0.5), "two transfers a cycle of the memory's clock, "+where)
	return list
}

// bases are the presets nearest to a GPU, by the first number of its compute capability.
var bases = map[string]string{"3": "k40", "6": "p100", "7": "v100", "8": "a100", "9": "h200"}

// newest is the base for later GPUs.
const newest = "h200"

// Base returns the preset that is nearest to the GPU, by its compute capability.
func (r *Recording) Base() (string, error) {
	if r.Meta.Properties == nil {
		return "", usage.Errorf("name one by "+option.Base.With("a100").String(), "%s does not say the GPU's compute capability, by which the base is chosen", filepath.Join(r.Folder, metaFile))
	}
	major, _, _ := strings.Cut(r.Meta.Properties.Capability, ".")
	if b, ok := bases[major]; ok {
		return b, nil
	}
	return newest, nil
}
