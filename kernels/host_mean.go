//go:build !kernel

package kernels

import (
	"context"
	"fmt"
	"math"
	"reflect"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/reference"
	"github.com/weft-gpu/weft/scheduler"
)

// NNHost is the host half of NN.
var NNHost = meanHost(scheduler.Host{Name: "nn", Doc: "neural network: activations from weighted sums of inputs, to convergence", Device: NN{}, Value: "activation"},
	"gain", 0.99, func(gain float64) reference.Relaxation {
		return reference.Relaxation{Fixed: true, Mean: gain, Next: func(_, mean float64) float64 { return math.Tanh(gain * mean) }}
	})

// HeatHost is the host half of Heat.
var HeatHost = meanHost(scheduler.Host{Name: "heat", Doc: "heat simulation on the symmetric closure, from a source", Device: Heat{}, Value: "temperature"},
	"rate", 0.9, func(rate float64) reference.Relaxation {
		return reference.Relaxation{Old: 1 - rate, Mean: rate, Next: func(old, mean float64) float64 { return old + rate*(mean-old) }}
	})

// CircuitHost is the host half of Circuit.
var CircuitHost = meanHost(scheduler.Host{Name: "circuit", Doc: "circuit simulation on the symmetric closure: voltages of a net of resistors", Device: Circuit{}, Value: "voltage"},
	"leak", 100, func(leak float64) reference.Relaxation {
		return reference.Relaxation{Fixed: true, Mean: 1 / (1 + leak), Next: func(_, mean float64) float64 { return mean / (1 + leak) }}
	})

// meanHost completes the host half of an algorithm that computes values from weighted means.
// most is the largest value of its parameter.
func meanHost(h scheduler.Host, param string, most float64, relaxation func(x float64) reference.Relaxation) scheduler.Host {
	h.Params = func(params map[string]reflect.Value) error {
		if x := params[param].Float(); !(x >= 0.01 && float32(x) <= float32(most)) {
			return fmt.Errorf("parameter %s is %g: must be from 0.01 to %g", param, float32(x), most)
		}
		return checkEpsilon(params)
	}
	h.Check = func(ctx context.Context, in scheduler.Input, out *scheduler.Outcome, answer any) (*graph.Tolerance, error) {
		values, err := as[[]float32](answer)
		if err != nil {
			return nil, err
		}
		r := relaxation(in.Params[param].Float())
		r.Algorithm, r.Value, r.Epsilon = h.Name, h.Value, in.Params["epsilon"].Float()
		r.Rounds = out.MostRounds() - 1 // the first iteration gathers the sums of weights
		t, err := reference.CheckRelaxation(ctx, in.Graph, in.Source, r, values)
		return &t, err
	}
	return h
}

// checkEpsilon rejects a largest change below 1e-5, for which the rounding of float32 sums
// could keep values from coming to rest, and one above 0.01, with which they are far off.
func checkEpsilon(params map[string]reflect.Value) error {
	if e := params["epsilon"].Float(); !(float32(e) >= 1e-5 && float32(e) <= 0.01) {
		return fmt.Errorf("parameter epsilon is %g: must be from 1e-05 to 0.01", float32(e))
	}
	return nil
}
