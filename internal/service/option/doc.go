// Package option has the table of what a user can choose: each option with its name, kind, range, default, capability and
// help, declared once. Package command registers its flags from it. To add an option, declare it here, give it a variable
// in the command, and use the variable.
package option
