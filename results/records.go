package results

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
)

// Variable is the environment variable that names a folder of records to read instead of those that are built in.
const Variable = "WEFT_RECORDS"

// Records are the records in a folder, or those that are built in: folders that "weft record" wrote, each with its meta.json, and
// files of "weft results --record", at any depth.
type Records struct {
	// Folder is the path of the folder; "" for the records that are built in.
	Folder string
	files  fs.FS
	list   []*Record
}

// Record is one record: what one GPU, or one group, took in one measurement or in several parts of one.
type Record struct {
	Name string // its path below the folder: "hw/h200", "pairs/h200.json"
	GPU  string // what devices call it: "h200", "rtx4090"; "h200x2" for a group
	Meta Meta   // of its first part

	files    fs.FS
	repeated bool // a file of repeated runs
}

// Builtin returns the records that are built into the program.
func Builtin() *Records { return builtin() }

var builtin = sync.OnceValue(func() *Records {
	r := &Records{files: recorded}
	if err := r.scan(); err != nil {
		panic(err) // the tests have read them
	}
	return r
})

// OpenRecords returns the records in a folder. It reads where they come from, and their rows later.
func OpenRecords(folder string) (*Records, error) {
	switch info, err := os.Stat(folder); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("there is no folder %s", folder)
	case err != nil:
		return nil, err
	case !info.IsDir():
		return nil, fmt.Errorf("%s is not a folder", folder)
	}
	r := &Records{Folder: folder, files: os.DirFS(folder)}
	if err := r.scan(); err != nil {
		return nil, fmt.Errorf("%s: %w", folder, err)
	}
	if len(r.list) == 0 {
		return nil, fmt.Errorf("%s has no records: neither a meta.json of weft record nor a file of weft results --record", folder)
	}
	return r, nil
}

// FromEnvironment returns the records in the folder that Variable names, and those that are built in if it is not set.
func FromEnvironment() (*Records, error) {
	folder := os.Getenv(Variable)
	if folder == "" {
		return Builtin(), nil
	}
	r, err := OpenRecords(folder)
	if err != nil {
		return nil, fmt.Errorf("$%s: %w", Variable, err)
	}
	return r, nil
}

// scan finds the records: those nearer to the folder first.
func (r *Records) scan() error {
	err := fs.WalkDir(r.files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Ext(name) != ".json" {
			return err
		}
		record, err := recordAt(r.files, name)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if record != nil {
			r.list = append(r.list, record)
		}
		return nil
	})
	depth := func(x *Record) int { return strings.Count(x.Name, "/") }
	slices.SortStableFunc(r.list, func(a, b *Record) int { return cmp.Or(cmp.Compare(depth(a), depth(b)), cmp.Compare(a.Name, b.Name)) })
	return err
}

// recordAt returns the record that a file belongs to: that of its folder for a meta.json, that of the file if it has repeated runs, and
// nil for any other file.
func recordAt(files fs.FS, name string) (*Record, error) {
	f, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if path.Base(name) == "meta.json" {
		m := Meta{}
		if err := json.NewDecoder(f).Decode(&m); err != nil {
			return nil, err
		}
		return &Record{Name: path.Dir(name), GPU: DeviceName(m.GPU), Meta: m, files: files}, nil
	}
	head := make([]byte, 64)
	n, _ := io.ReadFull(f, head)
	if !bytes.HasPrefix(bytes.TrimLeft(head[:n], "{ \t\r\n"), []byte(`"sessions"`)) { // as Repeated.Write begins
		return nil, nil
	}
	d := json.NewDecoder(io.MultiReader(bytes.NewReader(head[:n]), f))
	var parts []Meta
	for range 2 { // "{" and "sessions"
		if _, err := d.Token(); err != nil {
			return nil, err
		}
	}
	if err := d.Decode(&parts); err != nil {
		return nil, err
	}
	if len(parts) == 0 {
		return nil, nil
	}
	return &Record{Name: name, GPU: DeviceName(parts[0].GPU), Meta: parts[0], files: files, repeated: true}, nil
}

// DeviceName returns what devices call a GPU of which the driver says the model: "h200" for "NVIDIA H200", "rtx4090" for "NVIDIA
// GeForce RTX 4090", "v100" for "Tesla V100-SXM2-16GB", "h200x2" for "2 x NVIDIA H200".
func DeviceName(model string) string {
	count, one, group := strings.Cut(model, " x ")
	if group {
		model = one
	}
	words := strings.FieldsFunc(strings.ToLower(model), func(r rune) bool { return r == ' ' || r == '-' })
	words = slices.DeleteFunc(words, func(w string) bool {
		switch w {
		case "nvidia", "tesla", "geforce", "quadro", "graphics", "device", "nvl", "generation":
			return true
		}
		return strings.HasPrefix(w, "sxm") || strings.HasPrefix(w, "pcie") || strings.HasPrefix(w, "hbm") || strings.HasSuffix(w, "gb")
	})
	name := strings.Join(words, "")
	if group {
		name += "x" + count
	}
	return name
}

// All returns the records of a GPU.
func (r *Records) All(gpu string) (list []*Record) {
	for _, x := range r.list {
		if x.GPU == gpu {
			list = append(list, x)
		}
	}
	return list
}

// GPUs returns the names of the GPUs of which there are records, without groups.
func (r *Records) GPUs() (names []string) {
	for _, x := range r.list {
		if !strings.Contains(x.Meta.GPU, " x ") {
			names = append(names, x.GPU)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Where says where the records are: "the folder FOLDER", "this program".
func (r *Records) Where() string {
	if r.Folder == "" {
		return "this program"
	}
	return "the folder " + r.Folder
}

// Load returns the first folder of "weft record" that has a GPU; without one an ErrNoRecord.
func (r *Records) Load(gpu string) (*Hardware, error) {
	for _, x := range r.All(gpu) {
		if !x.repeated {
			return x.hardware()
		}
	}
	return nil, fmt.Errorf("%w of weft record of GPU %q in %s", ErrNoRecord, gpu, r.Where())
}

// hardware reads a folder of weft record.
func (x *Record) hardware() (*Hardware, error) {
	dir, err := fs.Sub(x.files, x.Name)
	if err != nil {
		return nil, err
	}
	return LoadFS(x.Name, dir)
}

// Repeats returns the repeated runs of a record; nil if it is a folder of weft record.
func (x *Record) Repeats() (*Repeated, error) {
	if !x.repeated {
		return nil, nil
	}
	text, err := fs.ReadFile(x.files, x.Name)
	if err != nil {
		return nil, err
	}
	f, err := ReadRepeated(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", x.Name, err)
	}
	return f, nil
}

// Hardware returns the record as one of runs; that of repeated runs has nothing else.
func (x *Record) Hardware() (*Hardware, error) {
	f, err := x.Repeats()
	switch {
	case err != nil:
		return nil, err
	case f == nil:
		return x.hardware()
	}
	h := &Hardware{Meta: x.Meta, Graphs: f.Graphs}
	for i := range f.Rows {
		h.Runs = append(h.Runs, f.Rows[i].run())
	}
	return h, nil
}

// run returns a row as a run. That of auto has the scheme that was chosen.
func (r *Row) run() Run {
	run := Run{Algorithm: r.Algorithm, Scheduler: r.Scheduler, Params: r.Values(), Graph: r.Graph, Vertices: r.Vertices, Arcs: r.Arcs, Verified: r.Checked != Unchecked,
		Error: r.Error, Iterations: r.Iterations, Launches: r.Launches, Kernels: NewTiming(r.KernelSeconds), Whole: NewTiming(r.WithCopy)}
	if r.Source != nil {
		run.Source = *r.Source
	}
	run.sourceless = r.Source == nil
	if scheme, params, ok := r.Choice(); ok {
		run.Scheduler, run.Params = scheme, params
	}
	if len(run.Params) == 0 {
		run.Params = nil
	}
	return run
}

// On reports whether a run was on a graph of the given size, from the given source if its algorithm has one. Records recognize a graph by its size.
func (r *Run) On(vertices, arcs int, source uint32) bool {
	return r.Vertices == vertices && r.Arcs == arcs && (r.sourceless || r.Source == source)
}
