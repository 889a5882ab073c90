package main

import (
	"io"
	"log/slog"
	"os"
	"strings"

	"github.com/spf13/cobra"
)

// Variables that set the log flags; they are no configuration keys.
const (
	logFormatEnv = "EOSPROC_LOG_FORMAT"
	logLevelEnv  = "EOSPROC_LOG_LEVEL"
)

// logging are the flags of the log, which goes to stderr.
type logging struct{ format, level string }

func (l *logging) register(root *cobra.Command) {
	p := root.PersistentFlags()
	p.StringVar(&l.format, "log-format", "text", "text or json (env "+logFormatEnv+")")
	p.StringVar(&l.level, "log-level", "info", "debug, info, warn or error (env "+logLevelEnv+")")
	complete(root, "log-format", "text", "json")
	complete(root, "log-level", "debug", "info", "warn", "error")
}

// setUp makes the default logger.
func (l *logging) setUp(cmd *cobra.Command) error {
	for flag, env := range map[string]string{"log-format": logFormatEnv, "log-level": logLevelEnv} {
		f := cmd.Flags().Lookup(flag)
		if value := os.Getenv(env); value != "" && f != nil && !f.Changed {
			if err := f.Value.Set(value); err != nil {
				return usagef("%s: %w", env, err)
			}
		}
	}
	h, err := l.handler(cmd.ErrOrStderr())
	if err != nil {
		return usage(err)
	}
	slog.SetDefault(slog.New(h))
	return nil
}

func (l *logging) handler(w io.Writer) (slog.Handler, error) {
	var level slog.Level
	switch strings.ToLower(l.level) {
	case "debug":
		level = slog.LevelDebug
	case "info":
		level = slog.LevelInfo
	case "warn":
		level = slog.LevelWarn
	case "error":
		level = slog.LevelError
	default:
		return nil, usagef("--log-level %q: want debug, info, warn or error", l.level)
	}
	opts := &slog.HandlerOptions{Level: level}
	switch l.format {
	case "text":
		return slog.NewTextHandler(w, opts), nil
	case "json":
		return slog.NewJSONHandler(w, opts), nil
	default:
		return nil, usagef("--log-format %q: want text or json", l.format)
	}
}
