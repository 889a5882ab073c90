package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eosproc/eosproc/internal/kafkaconf"
	"github.com/eosproc/eosproc/internal/pipeline"
	"github.com/eosproc/eosproc/internal/settings"
)

func newConfig() *cobra.Command {
	cmd := &cobra.Command{Use: "config", Short: "Explain and check configuration keys"}
	cmd.AddCommand(newConfigList(), newConfigCheck())
	return cmd
}

// keyReport is the JSON form of a key.
type keyReport struct {
	Name        string           `json:"name"`
	Type        settings.Type    `json:"type"`
	Default     string           `json:"default"`
	DefaultNote string           `json:"default_note,omitempty"`
	Doc         string           `json:"doc"`
	Values      []string         `json:"values,omitempty"`
	Prefixes    []string         `json:"prefixes,omitempty"`
	Support     settings.Support `json:"support"`
	Why         string           `json:"why,omitempty"`
	Required    bool             `json:"required"`
	Secret      bool             `json:"secret"`
}

func newConfigList() *cobra.Command {
	var o output
	var all bool
	cmd := &cobra.Command{
		Use:   "list [WORD]",
		Short: "List configuration keys with their defaults",
		Long: `List the configuration keys, or those whose name or description contains WORD. They
may stand in config of a pipeline, in -X key=value, in a .properties file, and as EOSPROC_KEY_NAME in
the environment. Keys of Kafka Streams that are accepted without an effect, or refused, are listed
with --all and the reason.

-o json prints an array of {name, type, default, default_note, doc, values, prefixes, support, why,
required, secret}.`,
		Example: "  eosproc config list transaction\n  eosproc config list --all -o json",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.check(); err != nil {
				return err
			}
			word := strings.ToLower(strings.Join(args, ""))
			keys := slices.DeleteFunc(settings.Keys(), func(k settings.KeyDoc) bool {
				matches := strings.Contains(strings.ToLower(k.Name+" "+k.Doc), word)
				return !matches || !all && k.Support != settings.Supported
			})
			if len(keys) == 0 {
				return usagef("no key contains %q%s", word, unless(all, "; --all searches unsupported ones too"))
			}
			if o.json() {
				return writeJSON(cmd.OutOrStdout(), keyReports(keys))
			}
			return writeKeys(cmd.OutOrStdout(), keys)
		},
	}
	o.register(cmd, "text", "json")
	cmd.Flags().BoolVar(&all, "all", false, "also list keys that are accepted without an effect or refused")
	return cmd
}

func unless(condition bool, text string) string {
	if condition {
		return ""
	}
	return text
}

func keyReports(keys []settings.KeyDoc) []keyReport {
	out := make([]keyReport, len(keys))
	for i, k := range keys {
		out[i] = keyReport{k.Name, k.Type, k.Default, k.DefaultNote, k.Doc, k.Values, k.Prefixes, k.Support, k.Why, k.Required, k.Secret}
	}
	return out
}

// writeKeys writes a key and its default on one line, its meaning below: a table of three columns
// would be wider than any terminal.
func writeKeys(w io.Writer, keys []settings.KeyDoc) error {
	var b strings.Builder
	for _, k := range keys {
		b.WriteString(k.Name)
		switch {
		case k.Required:
			b.WriteString(" (required)")
		case k.Default != "" && k.DefaultNote != "":
			fmt.Fprintf(&b, " = %s (%s)", k.Default, k.DefaultNote)
		case k.Default+k.DefaultNote != "":
			fmt.Fprintf(&b, " = %s", k.Default+k.DefaultNote)
		}
		fmt.Fprintf(&b, "\n    %s", k.Doc)
		if len(k.Values) > 0 {
			b.WriteString(" One of " + strings.Join(k.Values, ", ") + ".")
		}
		if k.Support != settings.Supported {
			fmt.Fprintf(&b, "\n    %s: %s", k.Support, k.Why)
		}
		b.WriteString("\n")
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write keys: %w", err)
	}
	return nil
}

func newConfigCheck() *cobra.Command {
	return &cobra.Command{
		Use:   "check FILE",
		Short: "Check the configuration in a .properties file or a pipeline",
		Long: `Check the keys and values of a Java .properties file, or of config in a pipeline. A
.properties file may be a part of a configuration: required keys may be missing
from it. It exits with 2 if there is an error.`,
		Example: "  eosproc config check client.properties",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			problems, err := checkConfig(args[0])
			if err != nil {
				return usage(err)
			}
			text, err := problems.Format("text")
			if err != nil {
				return err
			}
			if text = strings.TrimRight(text, "\n"); text != "" {
				fmt.Fprintln(cmd.OutOrStdout(), text)
			}
			if problems.Err() != nil {
				return quiet(exitUsage)
			}
			return nil
		},
	}
}

func checkConfig(path string) (pipeline.Problems, error) {
	if ext := filepath.Ext(path); ext == ".yaml" || ext == ".yml" {
		f, err := pipeline.Load(path, pipeline.Options{})
		if err != nil {
			return nil, err
		}
		_, problems, err := f.Settings(nil)
		if err != nil && !errors.As(err, new(pipeline.Problems)) {
			return nil, err
		}
		return problems, nil
	}
	props, err := kafkaconf.Load(path)
	if err != nil {
		return nil, err
	}
	_, found := settings.Parse(props)
	required := map[string]bool{}
	for _, k := range settings.Keys() {
		required[k.Name] = k.Required
	}
	var problems pipeline.Problems
	for _, p := range found {
		if _, given := props[p.Key]; required[p.Key] && !given {
			continue
		}
		q := pipeline.Problem{File: path, Severity: pipeline.Error, Message: strings.TrimPrefix(p.Key+": ", ": ") + p.Message}
		if p.Severity == settings.Warning {
			q.Severity = pipeline.Warning
		}
		if p.Suggestion != "" {
			q.Hint = fmt.Sprintf("did you mean %q?", p.Suggestion)
		}
		problems = append(problems, q)
	}
	return problems, nil
}
