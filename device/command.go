package device

import (
	"fmt"
	"reflect"
	"strings"
)

// MustHaveGPU panics if a group does not have the GPU, as an index out of range does.
func MustHaveGPU(g Group, i int) {
	if n := g.GPUs(); i < 0 || i >= n {
		panic(fmt.Sprintf("device: GPU %d of %s, which has %d; they are numbered from 0", i, g.Name(), n))
	}
}

// Failed returns the error of a command that failed with err, as Group.Run returns it; i is
// its index in the list.
func (c *Command) Failed(i int, err error) error {
	return fmt.Errorf("command %d on GPU %d: %w", i, c.GPU, err)
}

// CheckCommands checks a list of commands as every Group does before it begins the first one.
// It does not check what the methods of Device check: the arguments of a launch against its
// kernel, and the type and length of slices of the host.
func CheckCommands(g Group, cmds []Command) error {
	for i := range cmds {
		c := &cmds[i]
		if n := g.GPUs(); c.GPU < 0 || c.GPU >= n {
			return fmt.Errorf("command %d: there is no GPU %d in %s, which has %d; they are numbered from 0", i, c.GPU, g.Name(), n)
		}
		if err := c.check(g, i); err != nil {
			return c.Failed(i, err)
		}
	}
	return nil
}

// check checks one command. Its GPU exists.
func (c *Command) check(g Group, i int) error {
	if c.Stream < 0 {
		return fmt.Errorf("stream %d; streams are numbered from 0", c.Stream)
	}
	for _, a := range c.After {
		if a < 0 || a >= i {
			return fmt.Errorf("it begins after command %d, which is not earlier in the list", a)
		}
	}
	switch what := c.what(); len(what) {
	case 0:
		return fmt.Errorf("it has no Launch, Copy, Write or Read")
	case 1:
	default:
		return fmt.Errorf("it has a %s; each command has one of them", strings.Join(what, " and a "))
	}
	switch {
	case c.Launch != nil:
		return c.checkLaunch(g)
	case c.Copy != nil:
		return c.checkCopy(g)
	case c.Write != nil:
		return c.own(g, "write", c.Write.Buffer)
	}
	return c.own(g, "read", c.Read.Buffer)
}

// what returns which fields are set.
func (c *Command) what() (fields []string) {
	for _, f := range []struct {
		set  bool
		name string
	}{{c.Launch != nil, "Launch"}, {c.Copy != nil, "Copy"}, {c.Write != nil, "Write"}, {c.Read != nil, "Read"}} {
		if f.set {
			fields = append(fields, f.name)
		}
	}
	return fields
}

// own checks that a buffer is on the command's GPU.
func (c *Command) own(g Group, what string, b Buffer) error {
	at, err := g.Where(b)
	if err == nil && at != c.GPU {
		err = fmt.Errorf("buffer %s is on GPU %d, not on GPU %d", b.Name, at, c.GPU)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

func (c *Command) checkCopy(g Group) error {
	if err := c.Copy.Check(); err != nil {
		return err
	}
	from, err := g.Where(c.Copy.Src)
	if err != nil {
		return fmt.Errorf("copy: %w", err)
	}
	to, err := g.Where(c.Copy.Dst)
	switch {
	case err != nil:
		return fmt.Errorf("copy: %w", err)
	case c.GPU != from && c.GPU != to:
		return fmt.Errorf("copy of %s on GPU %d to %s on GPU %d; it is a command of one of these two", c.Copy.Src.Name, from, c.Copy.Dst.Name, to)
	}
	return nil
}

func (c *Command) checkLaunch(g Group) error {
	if c.Launch.Stream != 0 {
		return fmt.Errorf("its Launch has stream %d; set Command.Stream instead", c.Launch.Stream)
	}
	return CheckAccess(g, c.GPU, *c.Launch)
}

// CheckAccess returns an error if a launch on a GPU has a buffer of another GPU whose memory
// the GPU's kernels cannot reach. Buffers that cannot be used at all are left to the launch.
func CheckAccess(g Group, gpu int, l Launch) error {
	var err error
	each := func(b Buffer) bool {
		at, lost := g.Where(b)
		if lost == nil && at != gpu && !g.Peer(gpu, at).Access {
			name := "?"
			if l.Kernel != nil {
				name = l.Kernel.Name
			}
			err = &ArgError{Kernel: name, What: fmt.Sprintf("buffer %s is on GPU %d, whose memory kernels on GPU %d cannot reach; copy it", b.Name, at, gpu)}
		}
		return err == nil
	}
	for _, a := range l.Args {
		if b, ok := a.(Buffer); ok { // nearly all arguments
			if !each(b) {
				break
			}
		} else if !eachBuffer(reflect.ValueOf(a), each) {
			break
		}
	}
	return err
}

var bufferType = reflect.TypeFor[Buffer]()

// eachBuffer visits the buffers in an argument of a launch until visit returns false.
func eachBuffer(v reflect.Value, visit func(Buffer) bool) bool {
	for v.IsValid() && v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	if !v.IsValid() {
		return true
	}
	switch {
	case v.Type() == bufferType:
		b := Buffer{Name: v.FieldByName("Name").String(), Elem: Kind(v.FieldByName("Elem").Uint()),
			Addr: v.FieldByName("Addr").Uint(), Len: int(v.FieldByName("Len").Int()), Owner: v.FieldByName("Owner").Uint()}
		return b.Addr == 0 && b.Len == 0 || visit(b)
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			if !eachBuffer(v.Field(i), visit) {
				return false
			}
		}
	case v.Kind() == reflect.Array:
		for i := range v.Len() {
			if !eachBuffer(v.Index(i), visit) {
				return false
			}
		}
	}
	return true
}

// Before returns for each of the commands which others have ended before it begins: those of
// its After and earlier ones of its stream, and what these come after.
func Before(cmds []Command) [][]bool {
	before := make([][]bool, len(cmds))
	last := map[[2]int]int{}
	for i := range cmds {
		c := &cmds[i]
		before[i] = make([]bool, len(cmds))
		add := func(n int) {
			before[i][n] = true
			for k, is := range before[n] {
				before[i][k] = before[i][k] || is
			}
		}
		for _, n := range c.After {
			add(n)
		}
		stream := [2]int{c.GPU, c.Stream}
		if n, ok := last[stream]; ok {
			add(n)
		}
		last[stream] = i
	}
	return before
}

// CopyReport returns the Report of a command that copies, for its Timing: the bytes, under the
// name that Total has for them. It returns nil for a launch.
func (c *Command) CopyReport(seconds float64) *Report {
	one := func(counter Counter) *Report { return &Report{Seconds: seconds, Counters: []Counter{counter}} }
	switch {
	case c.Write != nil:
		return one(Counter{BytesToDevice, "byte", "bytes copied from the host to the device", float64(c.Write.Buffer.Bytes())})
	case c.Read != nil:
		return one(Counter{BytesToHost, "byte", "bytes copied from the device to the host", float64(c.Read.Buffer.Bytes())})
	case c.Copy != nil:
		return one(copied(uint64(c.Copy.Src.Bytes())))
	}
	return nil
}

// copied returns the counter of bytes copied by Command.Copy.
func copied(bytes uint64) Counter {
	return Counter{BytesCopied, "byte", "bytes copied from one buffer to another, on one GPU or between two", float64(bytes)}
}
