// Package proof has no code: its folders search all or many behaviours of a program: progress models (progress), memory
// models (ptxlitmus), schedules (explore).
package proof
