package demo

import (
	_ "embed"
	"fmt"

	"github.com/eosproc/eosproc"
	"github.com/eosproc/eosproc/internal/pipeline"
	"github.com/eosproc/eosproc/topology"
)

// pipelineYAML is the pipeline as a user would write it. It is also put into the
// directory, to be read and to be run by hand.
//
//go:embed payments.yaml
var pipelineYAML []byte

// loadPipeline builds the topology and the configuration of a pipeline file.
// Variables of the file come from the environment; overrides win over it.
func loadPipeline(path string, overrides map[string]string) (*topology.Topology, eosproc.Config, error) {
	file, err := pipeline.Load(path, pipeline.Options{})
	if err != nil {
		return nil, eosproc.Config{}, err
	}
	topo, err := file.Build()
	if err != nil {
		return nil, eosproc.Config{}, fmt.Errorf("build pipeline: %w", err)
	}
	if _, _, err := file.Settings(overrides); err != nil {
		return nil, eosproc.Config{}, fmt.Errorf("configure pipeline: %w", err)
	}
	return topo, eosproc.Config{Properties: file.Config(overrides)}, nil
}
