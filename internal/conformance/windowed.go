package conformance

import (
	"fmt"

	"github.com/eosproc/eosproc/codec"
	"github.com/eosproc/eosproc/topology"
)

type (
	windowedText   = codec.Windowed[*string]
	windowedStream = topology.Stream[windowedText, *string]
	windowedTable  = topology.Table[windowedText, *string]
)

// windowCodec writes the end of a window too, whatever its kind.
var windowCodec = codec.SessionWindowed[*string](textCodec{})

func (b *builder) windowedTopic(name string) topology.Topic[windowedText, *string] {
	b.windows[name] = true
	return topology.NewTopic(name, windowCodec, codec.Codec[*string](textCodec{}))
}

func windowedKey(b []byte) Key {
	w, err := windowCodec.Decode(b)
	if err != nil {
		return Key{Text: fmt.Sprintf("%q: %v", b, err)}
	}
	return Key{Text: *w.Key, Windowed: true, Start: w.Start, End: w.End}
}

// windowedKeyFunction makes a plain key of a windowed one.
func windowedKeyFunction(s string) (func(windowedText, *string) *string, error) {
	switch s {
	case "windowKey":
		return func(k windowedText, _ *string) *string { return k.Key }, nil
	case "windowKeyStart":
		return func(k windowedText, _ *string) *string { return text(fmt.Sprintf("%s@%d", *k.Key, k.Start)) }, nil
	default:
		return nil, unknown("function of a windowed key", s)
	}
}
