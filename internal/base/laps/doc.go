// Package laps measures how long the parts of a preparation take: reading a graph, transposing it. Whoever wants to know
// puts a List into the context; what is done under a context without one is not measured.
package laps
