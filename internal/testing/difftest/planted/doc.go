// Package planted keeps former faults of the project, and similar ones, as
// edits of its sources, to check that the differential tests find them.
package planted
