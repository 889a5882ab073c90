package main

import (
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eosproc/eosproc/internal/kafkaconf"
	"github.com/eosproc/eosproc/internal/pipeline"
	"github.com/eosproc/eosproc/internal/settings"
)

// ownVariables begin like configuration keys and are none.
var ownVariables = []string{logFormatEnv, logLevelEnv, "EOSPROC_FAILPOINT", "EOSPROC_REQUIRE", "EOSPROC_KAFKA_CACHE", "EOSPROC_BENCH_RAW"}

// properties are configuration values by key, each with where it came from.
type properties struct {
	values map[string]string
	origin map[string]string
}

func newProperties() properties {
	return properties{map[string]string{}, map[string]string{}}
}

func (p properties) set(key, value, origin string) {
	p.values[key] = value
	p.origin[key] = origin
}

// propertyFlags are the flags that every command with a configuration has. A value is taken
// from the first of: a flag of its own, -X, the environment, --command-config.
type propertyFlags struct {
	bootstrap     string
	values        []string
	commandConfig string
}

func (f *propertyFlags) register(cmd *cobra.Command) {
	p := cmd.Flags()
	p.StringVarP(&f.bootstrap, "bootstrap-server", "b", "", "brokers to ask first, as host:port,…")
	p.StringArrayVarP(&f.values, "property", "X", nil, "a configuration key, as key=value; repeatable; see \"eosproc config list\"")
	p.StringVar(&f.commandConfig, "command-config", "", "Java .properties file with configuration keys, such as the ones of the connection")
	if err := cmd.RegisterFlagCompletionFunc("property", completeKeys); err != nil {
		panic(err) // declared above
	}
}

func completeKeys(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	var keys []string
	for _, k := range settings.Keys() {
		if k.Support != settings.Refused && strings.HasPrefix(k.Name, typed) {
			keys = append(keys, cobra.CompletionWithDesc(k.Name+"=", k.Doc))
		}
	}
	return keys, cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
}

// load merges the sources.
func (f *propertyFlags) load() (properties, error) {
	p := newProperties()
	if f.commandConfig != "" {
		read, err := kafkaconf.Load(f.commandConfig)
		if err != nil {
			return p, usage(err)
		}
		for key, value := range read {
			p.set(key, value, f.commandConfig)
		}
	}
	for key, value := range settings.FromEnviron(os.Environ(), ownVariables...) {
		p.set(key, value, "environment")
	}
	for _, pair := range f.values {
		key, value, ok := strings.Cut(pair, "=")
		if key = strings.TrimSpace(key); !ok || key == "" {
			return p, usagef("-X %q: want key=value; \"eosproc config list\" shows the keys", key)
		}
		p.set(key, value, "-X")
	}
	if f.bootstrap != "" {
		p.set("bootstrap.servers", f.bootstrap, "--bootstrap-server")
	}
	return p, nil
}

// relocate names, in place of the file, where the value at fault came from.
func (p properties) relocate(problems pipeline.Problems) pipeline.Problems {
	out := slices.Clone(problems)
	for i, problem := range out {
		key, _, ok := strings.Cut(problem.Message, ": ")
		if origin := p.origin[key]; ok && origin != "" {
			out[i] = pipeline.Problem{File: origin, Severity: problem.Severity, Message: problem.Message, Hint: problem.Hint}
		}
	}
	return out
}

// client returns how to connect, for a command that runs no pipeline. Keys that
// concern pipelines only are left alone, so that one file serves every command.
func (p properties) client() (kafkaconf.Client, error) {
	c, unknown, err := kafkaconf.FromProperties(p.values)
	if err != nil {
		return c, usage(err)
	}
	known := map[string]bool{}
	for _, k := range settings.Keys() {
		known[k.Name] = true
		for _, prefix := range k.Prefixes {
			known[prefix+k.Name] = true
		}
	}
	for _, key := range unknown {
		if known[key] || strings.HasPrefix(key, "topic.") || strings.HasPrefix(key, "client.tag.") {
			continue
		}
		near := kafkaconf.Suggest(key, slices.Sorted(maps.Keys(known)))
		return c, usagef("%s: %s: unknown key%s", p.origin[key], key, didYouMean(near))
	}
	if len(c.BootstrapServers) == 0 {
		return c, usagef("no broker given: use --bootstrap-server, EOSPROC_BOOTSTRAP_SERVERS, or bootstrap.servers in --command-config")
	}
	return c, nil
}
