package main

import (
	"encoding/base64"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/eosproc/eosproc/internal/graphsvg"
	"github.com/eosproc/eosproc/topology"
)

// vizURL draws the text of a topology that stands in its fragment, which a browser keeps to itself.
const vizURL = "https://zz85.github.io/kafka-streams-viz/#"

func newTopology() *cobra.Command {
	cmd := &cobra.Command{Use: "topology", Short: "Show what a pipeline is made of"}
	cmd.AddCommand(newDescribe(), newGraph())
	return cmd
}

func newDescribe() *cobra.Command {
	var url bool
	cmd := &cobra.Command{
		Use:   "describe FILE",
		Short: "Print the topology as Kafka Streams does",
		Long: `Print the topology in the grammar of Kafka Streams' Topology#describe(), so that
tools which read that text read this one.`,
		Example:           "  eosproc topology describe payments.yaml --viz-url",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: yamlFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			t, err := buildTopology(cmd.InOrStdin(), args[0])
			if err != nil {
				return err
			}
			text := t.Describe()
			if url {
				if text, err = vizLink(text); err != nil {
					return err
				}
				text += "\n"
			}
			_, err = io.WriteString(cmd.OutOrStdout(), text)
			return err
		},
	}
	cmd.Flags().BoolVar(&url, "viz-url", false, "print a link to kafka-streams-viz that draws it, in place of the text")
	return cmd
}

func newGraph() *cobra.Command {
	var o output
	cmd := &cobra.Command{
		Use:               "graph FILE",
		Short:             "Draw the topology",
		Long:              "Draw the topology as a Mermaid flowchart, in Graphviz's language, or as a picture.",
		Example:           "  eosproc topology graph payments.yaml -o svg > payments.svg",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: yamlFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.check(); err != nil {
				return err
			}
			t, err := buildTopology(cmd.InOrStdin(), args[0])
			if err != nil {
				return err
			}
			var picture string
			switch g := t.Graph(); o.format {
			case "dot":
				picture = g.DOT()
			case "svg":
				picture = string(graphsvg.Render(g))
			default:
				picture = g.Mermaid()
			}
			_, err = io.WriteString(cmd.OutOrStdout(), picture)
			return err
		},
	}
	o.register(cmd, "mermaid", "dot", "svg")
	return cmd
}

func buildTopology(in io.Reader, path string) (*topology.Topology, error) {
	f, err := loadOne(in, path)
	if err != nil {
		return nil, err
	}
	t, err := f.Build()
	return t, usage(err)
}

// vizLink encodes the text as the page decodes it: base64 of Latin-1.
func vizLink(text string) (string, error) {
	latin := make([]byte, 0, len(text))
	for _, r := range text {
		if r > 0xff {
			return "", fmt.Errorf("make link: kafka-streams-viz cannot show %q", r)
		}
		latin = append(latin, byte(r))
	}
	return vizURL + base64.StdEncoding.EncodeToString(latin), nil
}
