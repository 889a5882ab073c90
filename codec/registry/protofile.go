package registry

import (
	"context"
	"fmt"

	"github.com/bufbuild/protocompile"
	"github.com/twmb/franz-go/pkg/sr"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// protoSelf is the file name under which a schema is compiled; its references
// have the names by which it imports them.
const protoSelf = "registry.self"

// compileProto compiles a schema's text. What it imports must be among its
// references or be one of Protobuf's own files. Nothing is entered into the
// process's registry of types, where two versions of a file would collide.
func compileProto(s sr.Schema, refs []reference) (protoreflect.FileDescriptor, error) {
	sources := map[string]string{protoSelf: s.Schema}
	for _, r := range refs {
		sources[r.name] = r.Schema.Schema
	}
	c := protocompile.Compiler{
		MaxParallelism: 1,
		Resolver: protocompile.WithStandardImports(&protocompile.SourceResolver{
			Accessor: protocompile.SourceAccessorFromMap(sources),
		}),
	}
	files, err := c.Compile(context.Background(), protoSelf)
	if err != nil {
		return nil, fmt.Errorf("compile protobuf schema: %w", err)
	}
	return files.FindFileByPath(protoSelf), nil
}

// messages is what holds messages: a file, or a message with nested ones.
type messages interface {
	Messages() protoreflect.MessageDescriptors
}

// declared visits the messages that stand in the schema's text, with the index
// that the wire format gives them. The entries of map fields are messages to
// Protobuf but stand in no text; Confluent's serializers do not count them.
func declared(in messages, visit func(i int, m protoreflect.MessageDescriptor) (more bool)) {
	n := 0
	for i := range in.Messages().Len() {
		m := in.Messages().Get(i)
		if m.IsMapEntry() {
			continue
		}
		if !visit(n, m) {
			return
		}
		n++
	}
}

// messageAt returns the message at a place in a file, nil if there is none.
func messageAt(f protoreflect.FileDescriptor, indexes []int) protoreflect.MessageDescriptor {
	var found protoreflect.MessageDescriptor
	var in messages = f
	for _, want := range indexes {
		found = nil
		declared(in, func(i int, m protoreflect.MessageDescriptor) bool {
			if i == want {
				found = m
			}
			return found == nil
		})
		if found == nil {
			return nil
		}
		in = found
	}
	return found
}

// placeOf returns the place of a message in a file, nil if it is not there.
func placeOf(f protoreflect.FileDescriptor, name protoreflect.FullName) []int {
	var place []int
	var search func(in messages, path []int) bool
	search = func(in messages, path []int) bool {
		declared(in, func(i int, m protoreflect.MessageDescriptor) bool {
			here := append(path[:len(path):len(path)], i)
			if m.FullName() == name {
				place = here
				return false
			}
			return !search(m, here)
		})
		return place != nil
	}
	search(f, nil)
	return place
}
