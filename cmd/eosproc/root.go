package main

import (
	"github.com/spf13/cobra"

	"github.com/eosproc/eosproc/internal/demo"
)

// newRoot returns the command tree.
func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "eosproc",
		Short: "Kafka pipelines, exactly once",
		Long: `eosproc reads from Kafka, transforms and writes to Kafka inside Kafka transactions
that also carry the offsets of the input: every record takes effect exactly once.

A pipeline is one YAML file. Write it, check it, run it:

  eosproc new from/filter/to > pipeline.yaml
  eosproc lint pipeline.yaml && eosproc test pipeline.yaml
  eosproc run pipeline.yaml -b localhost:9092

Exit codes: 0 done, 1 failed, 2 wrong usage, configuration or pipeline,
3 a verification found a violation, 4 the cluster lacks what is needed.`,
		SilenceUsage:      true,
		SilenceErrors:     true,
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: false},
	}
	var log logging
	log.register(root)
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error { return log.setUp(cmd) }
	root.AddCommand(
		newRun(), newLint(), newTest(), newEval(), newNew(), newSchema(), newTopology(),
		newBroker(), newVerify(), newConfig(), newVersion(), newDocs(), newBench(), demo.Command(),
	)
	finish(root)
	return root
}

// finish gives every error of a command its exit code, and makes a group of
// commands refuse what it does not know, which cobra answers with the help text and 0.
func finish(cmd *cobra.Command) {
	for _, sub := range cmd.Commands() {
		finish(sub)
	}
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			if err := check(cmd, args); err != nil {
				return usagef("%w: %s", err, cmd.UseLine())
			}
			return nil
		}
	}
	if run := cmd.RunE; run != nil {
		cmd.RunE = func(cmd *cobra.Command, args []string) error { return failed(run(cmd, args)) }
		return
	}
	if cmd.HasSubCommands() && cmd.HasParent() {
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			return usagef("unknown command %q for %q%s", args[0], cmd.CommandPath(), didYouMean(cmd.SuggestionsFor(args[0])...))
		}
	}
}

// complete offers fixed values to a shell's completion of a flag.
func complete(cmd *cobra.Command, flag string, values ...string) {
	err := cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
	if err != nil {
		panic(err) // a flag that was never declared: a mistake of this package
	}
}

// yamlFiles offers pipelines to a shell's completion of arguments.
func yamlFiles(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt
}
