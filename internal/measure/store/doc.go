// Package store keeps the results of runs in one file: an SQLite database.
//
// A run is a row with all that determines it, what became of it, and the numbers that it
// measured. The tables, for queries of one's own:
//
//	runs         one row per run: point, repeat, status, algorithm, scheduler, graph, device, ...
//	settings     run, name, value in effect, such as param.block = 128
//	written      name: the settings that a specification wrote
//	spellings    run, settings: as specifications wrote them, as JSON
//	parameters   name, machine, value: what machines have
//	metrics      run, name (a number, see names), value: counters, cycles and seconds
//	texts        run, name (a number, see names), value: what a run found that is no number
//	names        id, name, unit, meaning: what metrics and texts are
//	machines     hash, parameters: whole machines, as JSON
//	specs        hash, text: whole specifications
//	attachments  run, kind, data: the report of a hang, the result as JSON, a profile
//	sweeping     process: the sweep that adds to the file now, for messages
//	planned      id, point, repeat: runs that have a number and no result yet
//	measured     a view of runs, settings and metrics with names, one row per number
//
// A run is identified by its point, the hash of all that determines its result, and by the
// number of the repetition. A run's id is its number in the file: runs that are planned together have
// numbers in the order of the plan (see Store.Number), whichever ends first. Add ignores a run that the store already has; so it does not matter
// how often a point runs, or how many programs write at the same time.
package store
