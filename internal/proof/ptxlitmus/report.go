package ptxlitmus

// Report is a [Result] for machines to read.
type Report struct {
	Test       string `json:"test"`
	Model      string `json:"model"`
	Verdict    *int   `json:"verdict"` // 1, 0, or null if the test was not decided
	Reason     string `json:"reason,omitempty"`
	Quantifier string `json:"quantifier"`
	Condition  string `json:"condition,omitempty"`
	// Executions is how many executions the model allows.
	Executions int             `json:"executions"`
	Stuck      int             `json:"stuck,omitempty"`
	Bounded    bool            `json:"bounded,omitempty"`
	Outcomes   []OutcomeReport `json:"outcomes"`
	Witness    *Witness        `json:"witness,omitempty"`
}

// OutcomeReport is an [Outcome] for machines to read.
type OutcomeReport struct {
	State      map[string]int32 `json:"state"` // by the names of Test.Outcome
	Executions int              `json:"executions"`
	Satisfies  bool             `json:"satisfies"`
}

// Model is the name of the model for --model and in reports.
const Model = "ptx"

// Report returns the result for machines to read.
func (r *Result) Report() Report {
	rep := r.Test.Undecided(r.Unsupported)
	if r.Unsupported != "" {
		return rep
	}
	verdict := 0
	if r.Verdict {
		verdict = 1
	}
	rep.Verdict, rep.Executions, rep.Stuck, rep.Bounded, rep.Witness = &verdict, r.Executions, r.Stuck, r.Bounded, r.Witness
	for _, o := range r.Outcomes {
		state := map[string]int32{}
		for i, v := range r.Test.Outcome() {
			state[v.String()] = o.Values[i]
		}
		rep.Outcomes = append(rep.Outcomes, OutcomeReport{state, o.Executions, o.Satisfies})
	}
	return rep
}

// Undecided returns the report on a test that was not decided.
func (t *Test) Undecided(reason string) Report {
	rep := Report{Test: t.Name, Model: Model, Reason: reason, Quantifier: t.Quant.String(), Outcomes: []OutcomeReport{}}
	if t.Cond != nil {
		rep.Condition = t.Cond.String()
	}
	return rep
}
