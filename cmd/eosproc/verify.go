package main

import (
	"errors"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/eosproc/eosproc/internal/verify"
)

// verifyFlags are the flags of verify.
type verifyFlags struct {
	propertyFlags
	output
	config                    verify.Config
	identity, mode            string
	isolation, inputIsolation string
	inputStart, outputStart   []string
}

func newVerify() *cobra.Command {
	var f verifyFlags
	cmd := &cobra.Command{
		Use:   "verify --input-topic TOPIC --output-topic TOPIC",
		Short: "Prove that a copy-like pipeline, anyone's, lost and doubled nothing",
		Long: `Read the input and the output of a pipeline and prove that nothing is lost, doubled,
invented, reordered, or visible although its transaction aborted. Nothing is written
and no group is joined.

Without --group the pipeline must have caught up. With the pipeline's group it may
be running: inputs below the committed offsets must be in the output, others must not.

A record is recognised by --identity:
  whole        key and value (the default)
  key          the key
  header:NAME  the last header of that name
  json:PATH    a path into a JSON value, such as order.id
With another identity than whole, --mode id lets the pipeline change key and value.

It exits with 3 if a check fails. -o json prints {verdict, group, mode, isolation,
input_isolation, input, output, checks, open_transactions, seconds}.`,
		Example: `  eosproc verify -b localhost:9092 --input-topic orders --output-topic payments --group payments
  eosproc verify --command-config client.properties --input-topic in --output-topic out --identity json:id --mode id --allow-missing`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	f.propertyFlags.register(cmd)
	f.output.register(cmd, "text", "json")
	p := cmd.Flags()
	p.StringSliceVar(&f.config.Inputs, "input-topic", nil, "topic that the pipeline reads; repeatable")
	p.StringSliceVar(&f.config.Outputs, "output-topic", nil, "topic that it writes; repeatable")
	p.StringVar(&f.config.Group, "group", "", "consumer group of the pipeline (its application.id)")
	p.StringVar(&f.identity, "identity", "whole", "whole, key, header:NAME or json:PATH")
	p.StringVar(&f.mode, "mode", string(verify.ModeCopy), "copy: key and value unchanged; id: identities only")
	p.StringVar(&f.isolation, "isolation", string(verify.ReadCommitted), "view of the outputs that is audited")
	p.StringVar(&f.inputIsolation, "input-isolation", string(verify.ReadCommitted), "view of the inputs that the pipeline is to process")
	p.BoolVar(&f.config.AllowMissing, "allow-missing", false, "accept inputs without output, for a pipeline that filters")
	p.BoolVar(&f.config.AllowOpenTransactions, "allow-open-transactions", false, "accept transactions left open in the outputs")
	p.DurationVar(&f.config.OpenTransactionWait, "open-transaction-wait", 5*time.Second, "how long open transactions may take to end; negative: not at all")
	p.StringArrayVar(&f.inputStart, "input-start", nil, "first input offset, as TOPIC:PARTITION:OFFSET; repeatable")
	p.StringArrayVar(&f.outputStart, "output-start", nil, "first output offset, as TOPIC:PARTITION:OFFSET; repeatable")
	p.IntVar(&f.config.MaxViolations, "max-violations", 10, "violations shown per check; all are counted")
	p.IntVar(&f.config.Readers, "readers", 0, "partitions read at a time (0: the number of processors, at most 4)")
	complete(cmd, "identity", "whole", "key", "header:", "json:")
	complete(cmd, "mode", string(verify.ModeCopy), string(verify.ModeID))
	complete(cmd, "isolation", string(verify.ReadCommitted), string(verify.ReadUncommitted))
	complete(cmd, "input-isolation", string(verify.ReadCommitted), string(verify.ReadUncommitted))
	return cmd
}

func (f *verifyFlags) run(cmd *cobra.Command) error {
	if err := errors.Join(f.check(), f.parse()); err != nil {
		return usage(err)
	}
	props, err := f.load()
	if err != nil {
		return err
	}
	connection, err := props.client()
	if err != nil {
		return err
	}
	if f.config.Client, err = connection.Options(slog.Default()); err != nil {
		return usage(err)
	}
	r, err := verify.Run(cmd.Context(), f.config)
	if errors.Is(err, verify.ErrConfig) {
		return usage(err)
	}
	if err != nil {
		return err
	}
	if f.json() {
		err = writeJSON(cmd.OutOrStdout(), r)
	} else {
		err = r.WriteText(cmd.OutOrStdout())
	}
	if err == nil && r.Verdict == verify.Violated {
		err = quiet(exitViolated)
	}
	return err
}

// parse turns the texts of flags into the configuration; what the values mean is
// verify's to check.
func (f *verifyFlags) parse() error {
	if len(f.config.Inputs) == 0 || len(f.config.Outputs) == 0 {
		return usagef("--input-topic and --output-topic are required")
	}
	f.config.Mode = verify.Mode(f.mode)
	f.config.Isolation, f.config.InputIsolation = verify.Isolation(f.isolation), verify.Isolation(f.inputIsolation)
	kind, name, _ := strings.Cut(f.identity, ":")
	switch {
	case f.identity == "whole":
	case f.identity == "key":
		f.config.Identity.Key = true
	case kind == "header" && name != "":
		f.config.Identity.Header = name
	case kind == "json" && name != "":
		f.config.Identity.JSONPath = name
	default:
		return usagef("--identity %q: want whole, key, header:NAME or json:PATH", f.identity)
	}
	var err error
	if f.config.InputStart, err = parseStarts("--input-start", f.inputStart); err != nil {
		return err
	}
	f.config.OutputStart, err = parseStarts("--output-start", f.outputStart)
	return err
}

// parseStarts reads TOPIC:PARTITION:OFFSET. A topic's name has no colon.
func parseStarts(flag string, texts []string) (map[string]map[int32]int64, error) {
	starts := map[string]map[int32]int64{}
	for _, text := range texts {
		parts := strings.Split(text, ":")
		if len(parts) != 3 {
			return nil, usagef("%s %q: want TOPIC:PARTITION:OFFSET", flag, text)
		}
		partition, perr := strconv.ParseInt(parts[1], 10, 32)
		offset, oerr := strconv.ParseInt(parts[2], 10, 64)
		if parts[0] == "" || perr != nil || oerr != nil || partition < 0 || offset < 0 {
			return nil, usagef("%s %q: want TOPIC:PARTITION:OFFSET", flag, text)
		}
		if starts[parts[0]] == nil {
			starts[parts[0]] = map[int32]int64{}
		}
		starts[parts[0]][int32(partition)] = offset
	}
	return starts, nil
}
