package main

import (
	"bufio"
	"cmp"
	"fmt"
	"os"
)

// summarize says in a few words what values a run left: "0 to 7, 1,234 at 4294967295".
func summarize(values any) string {
	switch v := values.(type) {
	case []uint32:
		return summary(v)
	case []int32:
		return summary(v)
	case []uint64:
		return summary(v)
	case []int64:
		return summary(v)
	case []float32:
		return summary(v)
	case []float64:
		return summary(v)
	}
	return ""
}

// summary is the range of the values. Unsigned values that are all ones mean
// "not reached" in most algorithms, so they are counted apart.
func summary[V cmp.Ordered](v []V) string {
	none, missing := unreached[V]()
	var lo, hi V
	n := 0
	for _, x := range v {
		if missing && x == none {
			continue
		}
		if n == 0 {
			lo, hi = x, x
		}
		lo, hi = min(lo, x), max(hi, x)
		n++
	}
	apart := ""
	if n < len(v) {
		apart = fmt.Sprintf("%s not reached", thousands(len(v)-n))
	}
	switch {
	case n == 0:
		return apart
	case apart != "":
		apart = ", " + apart
	}
	return fmt.Sprintf("%v to %v%s", lo, hi, apart)
}

// unreached is the all-ones value of an unsigned type; ok is false for others.
func unreached[V cmp.Ordered]() (v V, ok bool) {
	switch p := any(&v).(type) {
	case *uint32:
		*p = ^uint32(0)
		return v, true
	case *uint64:
		*p = ^uint64(0)
		return v, true
	}
	return v, false
}

// writeAnswer writes the values to a file, a line with vertex and value each.
func writeAnswer(path string, values any) error {
	switch v := values.(type) {
	case []uint32:
		return writeValues(path, v)
	case []int32:
		return writeValues(path, v)
	case []uint64:
		return writeValues(path, v)
	case []int64:
		return writeValues(path, v)
	case []float32:
		return writeValues(path, v)
	case []float64:
		return writeValues(path, v)
	}
	return fmt.Errorf("the run left no values to write to %s", path)
}

func writeValues[V any](path string, v []V) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() {
		if e := f.Close(); err == nil {
			err = e
		}
	}()
	w := bufio.NewWriter(f)
	for i, x := range v {
		fmt.Fprintf(w, "%d\t%v\n", i, x)
	}
	return w.Flush()
}
