package topology

// treeSet is Java's TreeSet, insertion only: a red-black tree. Its shape shows
// in the order of descriptions, because their sizes change after they were put
// in; hence Java's own way of keeping the balance.
type treeSet struct{ root *treeNode }

type treeNode struct {
	d                   *description
	left, right, parent *treeNode
	red                 bool
}

// names appends the names in order.
func (t *treeSet) names(to []string) []string {
	var walk func(*treeNode)
	walk = func(x *treeNode) {
		if x == nil {
			return
		}
		walk(x.left)
		to = append(to, x.d.node.name)
		walk(x.right)
	}
	walk(t.root)
	return to
}

func (t *treeSet) add(d *description) {
	x := &treeNode{d: d, red: true}
	at := &t.root
	for *at != nil {
		x.parent = *at
		if d.before(x.parent.d) {
			at = &x.parent.left
		} else {
			at = &x.parent.right
		}
	}
	*at = x
	t.balance(x)
}

// balance is TreeMap#fixAfterInsertion.
func (t *treeSet) balance(x *treeNode) {
	for x != t.root && x.parent.red {
		up := x.parent.parent
		onLeft := x.parent == up.left
		uncle := up.left
		if onLeft {
			uncle = up.right
		}
		if uncle != nil && uncle.red {
			x.parent.red, uncle.red, up.red = false, false, true
			x = up
			continue
		}
		if onLeft != (x == x.parent.left) {
			x = x.parent
			t.rotate(x, onLeft)
		}
		x.parent.red, up.red = false, true
		t.rotate(up, !onLeft)
	}
	t.root.red = false
}

// rotate moves x down, to the left or to the right.
func (t *treeSet) rotate(x *treeNode, left bool) {
	down, up := &x.left, x.left
	if left {
		down, up = &x.right, x.right
	}
	moved := &up.right
	if left {
		moved = &up.left
	}
	*down = *moved
	if *moved != nil {
		(*moved).parent = x
	}
	*moved = x
	up.parent = x.parent
	switch {
	case x.parent == nil:
		t.root = up
	case x.parent.left == x:
		x.parent.left = up
	default:
		x.parent.right = up
	}
	x.parent = up
}
