package registryconf

import (
	"context"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/sr"

	"github.com/eosproc/eosproc/codec"
	"github.com/eosproc/eosproc/codec/registry"
	"github.com/eosproc/eosproc/internal/pipeline"
	"github.com/eosproc/eosproc/internal/settings"
)

// Connect returns what makes the codecs of a pipeline's formats, for
// [pipeline.File.WithRegistry]. ctx and [StartTimeout] bound this call and the making
// of all codecs, until the CancelFunc is called; the codecs themselves live on.
//
// The error is [ErrNoRegistry] without an address; it wraps
// [codec.ErrUnavailable] if no address answers. The errors of the function wrap
// [registry.ErrUnknownSchema] or [registry.ErrSchema] if the fault is in a subject.
func Connect(ctx context.Context, r settings.Registry) (pipeline.Registry, context.CancelFunc, error) {
	client, err := newClient(r)
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, StartTimeout)
	if err := probe(ctx, client, r); err != nil {
		cancel()
		return nil, nil, err
	}
	var gone error // one outage is one wait, not one for each topic
	return func(f pipeline.RegistryFormat) (codec.Codec[any], error) {
		if gone != nil {
			return nil, gone
		}
		c, err := open(ctx, client, r, f)
		if errors.Is(err, codec.ErrUnavailable) {
			gone = err
		}
		return c, err
	}, cancel, nil
}

// open makes one codec.
func open(ctx context.Context, client *sr.Client, r settings.Registry, f pipeline.RegistryFormat) (codec.Codec[any], error) {
	var opts []registry.Option
	switch {
	case !f.Written:
		opts = append(opts, registry.DecodeOnly())
	case f.Schema == "" && !r.UseLatest:
		return nil, fmt.Errorf("use.latest.version=false asks for a schema file: {%s: {schema: file}}", f.Name)
	case f.Schema != "" && r.AutoRegister:
		opts = append(opts, registry.Register())
	}
	if f.Schema != "" {
		opts = append(opts, registry.Schema(f.Schema))
	}
	if f.Message != "" {
		opts = append(opts, registry.Message(f.Message))
	}
	newCodec := map[string]func(context.Context, *sr.Client, string, ...registry.Option) (codec.Codec[any], error){
		"avro": registry.AvroAny, "protobuf": registry.ProtoAny, "json_schema": registry.JSONSchemaAny,
	}[f.Name]
	if newCodec == nil {
		return nil, fmt.Errorf("format %q is none of a schema registry", f.Name)
	}
	c, err := newCodec(ctx, client, f.Subject, opts...)
	if err != nil && errors.Is(err, registry.ErrUnknownSchema) {
		hint := "register it, or name another subject"
		if f.Schema == "" {
			hint += fmt.Sprintf(": {%s: subject}", f.Name)
		} else if !r.AutoRegister {
			hint += ", or set auto.register.schemas=true"
		}
		err = fmt.Errorf("%w (%s)", err, hint)
	}
	return c, err
}
