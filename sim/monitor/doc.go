// Package monitor shows a running simulation in a browser: it serves the web page of Akita's monitor, which pauses and
// continues the simulation, shows its progress, and profiles the simulator.
//
// The page is Akita's; the server is not, because Akita's listens on all network interfaces, ends the process if it
// cannot listen, and lets any web page in the browser pause the simulation forever.
package monitor
