package pipeline

import (
	"fmt"
	"io"
	"maps"
	"os"

	"github.com/eosproc/eosproc/internal/pipeline/yamlfile"
	"github.com/eosproc/eosproc/internal/settings"
	"github.com/eosproc/eosproc/topology"
)

// Problem is something wrong with a pipeline, with its place.
type Problem = yamlfile.Problem

// Problems are the problems of a file; they know how to print themselves.
type Problems = yamlfile.Problems

// Severities of problems.
const (
	Error   = yamlfile.Error
	Warning = yamlfile.Warning
)

// Options are what a pipeline takes from its surroundings. The zero value is
// that of a program started from a shell.
type Options struct {
	// Lookup tells environment variables; nil means os.LookupEnv.
	Lookup func(string) (string, bool)
	// Registry makes the codec of a format that needs a schema registry. It is
	// called by Build alone: Lint and RunTests ask no one. Nil means that there is
	// no registry: such a topology can be looked at, but its records fail.
	Registry Registry
	// Peek is where peek steps print; nil means os.Stderr. It is used by all
	// tasks; one line is one Write.
	Peek io.Writer
}

// File is a pipeline that has been read. It is immutable and safe for concurrent
// use.
type File struct {
	name     string
	source   *yamlfile.File
	doc      document
	options  Options
	problems Problems // of reading
	missing  Problems
}

// Load reads a pipeline from a file. The error is about reading the file only;
// what is wrong with its content is for [File.Lint].
func Load(path string, opts Options) (*File, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("load pipeline: %w", err)
	}
	return Parse(path, data, opts), nil
}

// Parse reads a pipeline. What is wrong with it is for [File.Lint].
func Parse(name string, data []byte, opts Options) *File {
	if opts.Peek == nil {
		opts.Peek = os.Stderr
	}
	f := &File{name: name, options: opts}
	source, d := yamlfile.Read(name, data, opts.Lookup, &f.doc)
	f.source, f.problems, f.missing = source, d.Problems(), d.Missing()
	return f
}

// Name returns the name that the file was read under.
func (f *File) Name() string { return f.name }

// Lint returns everything that is wrong with the file, in the order of the
// lines. A variable without a value is a warning here and an error of
// [File.Settings], or of [File.Build] if the topology needs it: a file is often checked where it does not run.
func (f *File) Lint() Problems {
	c := f.compile(standIn)
	ps := append(Problems{}, c.problems...)
	for _, m := range f.missing {
		m.Severity = Warning
		ps = append(ps, m)
	}
	if len(f.problems) == 0 || len(f.doc.Config) > 0 {
		_, found := settings.Parse(f.Config(nil))
		for _, p := range f.configProblems(found) {
			if !f.lacksVariable(p.Line) {
				ps = append(ps, p)
			}
		}
	}
	if len(f.problems) == 0 {
		ps = append(ps, f.lintRegistry(c, nil)...)
		ps = append(ps, f.lintTests(c)...)
	}
	ps.Sort()
	return f.redact(ps)
}

// Build returns the topology, or the errors of the file as [Problems].
func (f *File) Build() (*topology.Topology, error) {
	if f.options.Registry != nil {
		return f.build(f.options.Registry)
	}
	return f.build(noRegistry)
}

func (f *File) build(connect Registry) (*topology.Topology, error) {
	c := f.compile(connect)
	ps := append(Problems{}, c.problems...)
	for _, m := range f.missing {
		if !f.inConfig(m) {
			ps = append(ps, m)
		}
	}
	ps.Sort()
	if err := f.redact(ps).Err(); err != nil {
		return nil, err
	}
	return c.topology, nil
}

// lacksVariable reports whether a line holds a variable that is not set, whose
// value says nothing.
func (f *File) lacksVariable(line int) bool {
	for _, m := range f.missing {
		if m.Line == line {
			return true
		}
	}
	return false
}

// inConfig reports whether a problem lies in the config section.
func (f *File) inConfig(p Problem) bool {
	for _, e := range f.doc.Config {
		if e.Value.Contains(yamlfile.Pos{Line: p.Line, Col: p.Col}) {
			return true
		}
	}
	return false
}

// Config returns the config section with overrides put over it. The values may
// refer to secrets; they have not been resolved.
func (f *File) Config(overrides map[string]string) map[string]string {
	m := make(map[string]string, len(f.doc.Config)+len(overrides))
	for _, e := range f.doc.Config {
		if e.Value.Set() {
			m[e.Key.Value] = e.Value.Value
		}
	}
	maps.Copy(m, overrides)
	return m
}

// Settings returns the settings of the config section with overrides put over
// it, and the warnings. The error holds all that is wrong, as [Problems]: keys of
// the file with their places.
func (f *File) Settings(overrides map[string]string) (settings.Settings, Problems, error) {
	s, found := settings.Parse(f.Config(overrides))
	ps := append(f.configProblems(found), f.lintRegistry(f.compile(standIn), overrides)...)
	for _, m := range f.missing {
		if f.inConfig(m) && !f.overridden(m, overrides) {
			ps = append(ps, m)
		}
	}
	ps.Sort()
	f.redact(ps)
	return s, ps, ps.Err()
}

func (f *File) overridden(p Problem, overrides map[string]string) bool {
	for _, e := range f.doc.Config {
		if _, ok := overrides[e.Key.Value]; ok && e.Value.Contains(yamlfile.Pos{Line: p.Line, Col: p.Col}) {
			return true
		}
	}
	return false
}

// configProblems gives the problems of settings their places.
func (f *File) configProblems(found settings.Problems) Problems {
	var out Problems
	for _, p := range found {
		hint := ""
		if p.Suggestion != "" {
			hint = fmt.Sprintf("did you mean %q?", p.Suggestion)
		}
		severity := Error
		if p.Severity == settings.Warning {
			severity = Warning
		}
		message := p.Key + ": " + p.Message
		placed := false
		for _, e := range f.doc.Config {
			if e.Key.Value == p.Key {
				out = append(out, e.Key.Problem(0, len([]rune(e.Key.Value)), severity, message, hint))
				placed = true
			}
		}
		if !placed {
			out = append(out, f.source.Problem(yamlfile.Pos{}, 0, severity, message, hint))
		}
	}
	return out
}
