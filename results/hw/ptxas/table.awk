# Reads the output of cuobjdump -sass for atomics.ptx and prints, for each entry, its name and who acts: one lane for the warp, after a
# scan (five shuffles upwards), after a REDUX or a population count, or each lane.
function close_entry() { if (name != "") print name, (shuffles >= 5 ? "scan" : combined ? "one" : "each") }
/Function : / { close_entry(); name = $3; shuffles = 0; combined = 0 }
/SHFL\.UP/ { shuffles++ }
/REDUX|POPC/ { combined = 1 }
END { close_entry() }
