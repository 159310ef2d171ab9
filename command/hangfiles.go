package command

import (
	"context"
	"encoding/json"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/base/outfile"
	"github.com/weft-gpu/weft/internal/diagnosis/waitfor"
	"github.com/weft-gpu/weft/internal/service/option"
)

// hangFlags are the files that show why a kernel does not end.
type hangFlags struct{ dot, graph string }

func (o *hangFlags) register(cmd *cobra.Command) {
	flag(cmd, &o.dot, option.HangDot)
	flag(cmd, &o.graph, option.HangJSON)
}

// hangFiles are the outputs of hangFlags; nil files were not requested.
type hangFiles struct{ dot, graph *outfile.File }

// open checks the files before anything runs.
func (o *hangFlags) open(files *outputs) (h hangFiles, err error) {
	if h.dot, err = files.file("--hang-dot", o.dot); err == nil {
		h.graph, err = files.file("--hang-json", o.graph)
	}
	return h, err
}

// write writes the files if err, how a run ended, has a graph, and returns err
// with the errors of writing. Without a graph it does not touch the files.
func (h *hangFiles) write(ctx context.Context, err error) error {
	g := graphOf(err)
	if g == nil {
		return err
	}
	return errors.Join(err,
		h.dot.Write(ctx, func(w io.Writer) error {
			_, err := io.WriteString(w, waitfor.DOT(g))
			return err
		}),
		h.graph.Write(ctx, func(w io.Writer) error {
			e := json.NewEncoder(w)
			e.SetIndent("", "  ")
			return e.Encode(g)
		}))
}

// graphOf returns the graph of an error; nil if it has none.
func graphOf(err error) *device.WaitGraph {
	var hang *device.HangError
	var undecided *device.UndecidedError
	var stopped *device.InterruptedError
	switch {
	case errors.As(err, &stopped):
		return stopped.Graph
	case errors.As(err, &hang):
		return hang.Graph
	case errors.As(err, &undecided):
		return undecided.Graph
	}
	return nil
}
