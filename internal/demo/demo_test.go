package demo

import (
	"fmt"
	"os"
	"testing"

	"github.com/spf13/cobra"
)

// TestMain lets the test binary be its own `eosproc demo …`, since the demo
// starts the program that it is part of.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "demo" {
		if err := program().Execute(); err != nil {
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func program() *cobra.Command {
	root := &cobra.Command{Use: "eosproc", SilenceUsage: true}
	root.AddCommand(Command())
	return root
}

var _ = fmt.Sprint
