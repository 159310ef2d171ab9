// Package nearfar is the scheme for searches whose vertices may be visited several times, such as shortest paths. A whole run is one kernel on each of 1 to 8 GPUs.
package nearfar
