// Command eosproc runs, checks, tests and audits exactly-once pipelines.
//
// It owns the command line: flags, where a configuration value came from, what
// is printed and in which form, and exit codes. Everything else is a package's: a
// subcommand is one file that turns flags into a call. It must hold no logic
// that a Go program built on the library would miss.
//
// # Exit codes
//
//	0  done; for run: ended in order
//	1  failed at run time
//	2  wrong usage, configuration or pipeline; nothing was read or written
//	3  a verification found a violation
//	4  the cluster lacks what the configuration needs
//
// # Invariants
//
//   - Results go to stdout, all else to stderr.
//   - A failure is one line on stderr that names the thing and the remedy, or
//     one line per fault; never a stack of goroutines.
//   - A form that machines read (-o json) only ever gains fields.
package main
