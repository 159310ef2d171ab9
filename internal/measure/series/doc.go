// Package series reads what a simulated GPU did over time, as "weft run --trace" writes it for Perfetto and as the setting
// trace of a study keeps it with a run: occupancy, instructions and bandwidth in each interval, and the launches.
package series
