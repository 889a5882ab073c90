package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

func newDocs() *cobra.Command {
	return &cobra.Command{
		Use:    "docs DIRECTORY",
		Short:  "Write the reference of all commands as Markdown",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE:   func(_ *cobra.Command, args []string) error { return writeDocs(args[0]) },
	}
}

// writeDocs writes one page per command. It makes a tree of its own, because
// running a command has added cobra's defaults to the other one.
func writeDocs(dir string) error {
	root := newRoot()
	root.InitDefaultCompletionCmd()
	root.DisableAutoGenTag = true
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("write reference: %w", err)
	}
	if err := doc.GenMarkdownTree(root, dir); err != nil {
		return fmt.Errorf("write reference: %w", err)
	}
	return nil
}
