package topology

import (
	"fmt"

	"github.com/eosproc/eosproc/statestore"
)

// Stores gives a processor made by [Process] access to stores. Several
// processors may share a store, and so run in one task; a processor may also
// name the store of a table, to read it.
func Stores(specs ...statestore.Spec) Option {
	return func(o *options) { o.stores = append(o.stores, specs...) }
}

// use connects an operator with stores.
func (b *Builder) use(n *node, specs ...statestore.Spec) {
	for _, spec := range specs {
		if spec == nil || spec.Name() == "" {
			b.fail(fmt.Errorf("%s: a store needs a name", n.name))
			continue
		}
		name := spec.Name()
		if err := checkNodeName(name); err != nil {
			b.fail(fmt.Errorf("%s: store %w", n.name, err))
		}
		if kind, ok := b.kinds[name]; ok && kind != spec.Kind() {
			b.fail(fmt.Errorf("%s: the store %q is a %s elsewhere, here a %s", n.name, name, kind, spec.Kind()))
			continue
		}
		b.kinds[name] = spec.Kind()
		n.stores = append(n.stores, spec)
	}
}

// own connects an operator with the store of its results, which no other
// operator may write.
func (b *Builder) own(n *node, spec statestore.Spec) {
	if owner, ok := b.owners[spec.Name()]; ok {
		b.fail(fmt.Errorf("the store %q is used by %s and %s: each needs its own", spec.Name(), owner, n.name))
		return
	}
	b.owners[spec.Name()] = n.name
	b.use(n, spec)
}

func (n *node) storeNames() []string {
	names := make([]string, len(n.stores))
	for i, s := range n.stores {
		names[i] = s.Name()
	}
	return names
}
