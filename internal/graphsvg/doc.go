// Package graphsvg draws a topology as an SVG picture.
//
// It owns the layout: the operators of each sub-topology in layers inside a box,
// then boxes, topics and stores in layers around them. It knows nothing of
// streams or Kafka: a [topology.Graph] goes in, a picture comes out.
//
// Graphviz as WebAssembly would draw the same in ten lines, but it is compiled
// when a program starts, used or not: measured at 0.8 s of CPU, or a cache of
// machine code in the shared temporary directory.
//
// # Invariants
//
//   - The same graph gives the same bytes.
//   - Shapes of one layer never overlap, and edges go around shapes.
package graphsvg
