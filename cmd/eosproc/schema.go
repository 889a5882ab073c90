package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/eosproc/eosproc/internal/pipeline"
)

func newSchema() *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of pipelines, for editors",
		Long: `Print the JSON Schema of pipeline files. Editors that use yaml-language-server take it
from a first line such as

  # yaml-language-server: $schema=eosproc.schema.json`,
		Example: "  eosproc schema > eosproc.schema.json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s\n", pipeline.Schema())
			return err
		},
	}
}
