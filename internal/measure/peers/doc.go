// Package peers compares our fastest runs with the times of other systems: a specification has both the points to run (package
// sweep) and the times of the others, and a record (results.Repeated) what was measured of ours.
package peers
