package verify

import "fmt"

// finding gathers the violations of one check.
type finding struct {
	check Check
	limit int
}

func (a *audit) newFinding(name string) *finding {
	return &finding{check: Check{Name: name, Status: Pass, First: []Violation{}}, limit: a.config.MaxViolations}
}

// add counts a violation; it is built only if it is among the first.
func (f *finding) add(build func() Violation) {
	f.check.Status = Fail
	f.check.Violations++
	if len(f.check.First) < f.limit {
		f.check.First = append(f.check.First, build())
	}
}

func (f *finding) skip(note string) {
	f.check.Status, f.check.Note = Skip, note
}

// findings are all checks of one run.
type findings struct {
	loss, duplicates, unexpected, content, keyOrder, order, aborted, future, open, identity *finding
}

// judge matches what was read and builds the report.
func (a *audit) judge(open []OpenTransaction, openErr error) Report {
	f := &findings{
		a.newFinding(CheckLoss), a.newFinding(CheckDuplicates), a.newFinding(CheckUnexpected), a.newFinding(CheckContent),
		a.newFinding(CheckKeyOrder), a.newFinding(CheckOrder), a.newFinding(CheckAborted), a.newFinding(CheckFuture),
		a.newFinding(CheckOpen), a.newFinding(CheckIdentity),
	}
	m := newMatcher(newTable(a.inputs), newTable(a.outputs), a.config.InputIsolation)
	a.judgeOutputs(m, f)
	a.judgeInputs(m, f)
	if unjudged := m.settle(); unjudged > 0 {
		note := fmt.Sprintf("%d records with equal ones in other partitions, or not complete, are left unjudged", unjudged)
		f.order.check.Note, f.keyOrder.check.Note = note, note
	}
	m.slots, m.by, m.next, m.cursor = nil, nil, nil, nil // the tables of keys take their place
	m.order(f.order, f.keyOrder)
	a.judgeOpen(open, openErr, f.open)
	if a.config.Group == "" {
		f.future.skip("needs the pipeline's group")
	}
	if !newHasher(a.config, Output).content {
		f.content.skip("the identity is the whole record, or mode is id")
	}
	return a.report(f, open)
}

// judgeOutputs gives every visible output its input.
func (a *audit) judgeOutputs(m *matcher, f *findings) {
	for n, c := range m.out.chunks {
		for i := range c.n {
			a.judgeFate(c, i, f.aborted)
			if !visible(c, i, a.config.Isolation) {
				continue
			}
			f.identity.check.Checked++
			if c.flags[i]&unknown != 0 {
				f.identity.add(func() Violation {
					return Violation{Output: c.at(i), Detail: "has no identity: the header, field or key is absent"}
				})
				continue
			}
			f.unexpected.check.Checked++
			if c.flags[i]&filtered != 0 {
				f.unexpected.add(func() Violation {
					return Violation{Output: c.at(i), Detail: "the pipeline should have left it out"}
				})
				continue
			}
			a.judgeMatch(m, f, uint32(n<<chunkShift|i), c, i)
		}
	}
}

// judgeFate compares what a read_committed consumer sees of an output with what
// the markers say.
func (a *audit) judgeFate(c *chunk, i int, aborts *finding) {
	aborts.check.Checked++
	switch flags := c.flags[i]; {
	case flags&aborted != 0 && visible(c, i, a.config.Isolation):
		aborts.add(func() Violation {
			return Violation{Output: c.at(i), Detail: "its transaction aborted, and it is visible"}
		})
	case flags&undecided != 0 && a.config.Isolation == ReadUncommitted:
		aborts.add(func() Violation {
			return Violation{Output: c.at(i), Detail: "its transaction is not decided, and it is visible"}
		})
	case flags&(committed|shown) == committed && flags&undecided == 0:
		aborts.add(func() Violation {
			return Violation{Output: c.at(i), Detail: "its transaction committed, and the broker hides it as aborted"}
		})
	}
}

func (a *audit) judgeMatch(m *matcher, f *findings, output uint32, c *chunk, i int) {
	head, input := m.take(c.id[i], output)
	if head == none {
		f.unexpected.add(func() Violation {
			return Violation{Output: c.at(i), Detail: "no input record is like it"}
		})
		return
	}
	f.duplicates.check.Checked++
	if input == none {
		f.duplicates.add(func() Violation {
			violation := Violation{Output: c.at(i), Input: m.in.at(head - 1), Detail: "is in the output more often than in the input"}
			if first := m.by[head-1]; first != none {
				violation.Other = m.out.at(first - 1)
			}
			return violation
		})
		return
	}
	from, at := m.in.get(input - 1)
	switch classOf(from, at, m.view) {
	case classFuture:
		f.future.add(func() Violation {
			return Violation{Output: c.at(i), Input: from.at(at), Detail: fmt.Sprintf("is visible, and the group has committed only up to %d", from.log.allowed)}
		})
	case classAborted:
		f.aborted.add(func() Violation {
			return Violation{Output: c.at(i), Input: from.at(at), Detail: "comes from an input that is not committed"}
		})
	}
	f.future.check.Checked++
	// Of equal identities it is not known which output belongs to which input.
	if c.content != nil && from.content != nil && head == input && m.next[head-1] == none {
		f.content.check.Checked++
		if c.content[i] != from.content[at] {
			f.content.add(func() Violation {
				return Violation{Output: c.at(i), Input: from.at(at), Detail: "key or value differ from the input's"}
			})
		}
	}
}

// judgeInputs finds the inputs that were required and have no output.
func (a *audit) judgeInputs(m *matcher, f *findings) {
	missing := int64(0)
	for n, c := range m.in.chunks {
		for i := range c.n {
			if c.flags[i]&unknown != 0 && visible(c, i, m.view) {
				f.identity.check.Checked++
				f.identity.add(func() Violation {
					return Violation{Input: c.at(i), Detail: "has no identity: the header, field or key is absent"}
				})
				continue
			}
			if classOf(c, i, m.view) != classRequired {
				continue
			}
			f.identity.check.Checked++
			f.loss.check.Checked++
			if m.by[n<<chunkShift|i] != none {
				continue
			}
			missing++
			if !a.config.AllowMissing {
				f.loss.add(func() Violation { return Violation{Input: c.at(i), Detail: "is not in the output"} })
			}
		}
	}
	if a.config.AllowMissing {
		f.loss.skip(fmt.Sprintf("missing outputs are allowed; %d inputs have none", missing))
	}
}

func (a *audit) judgeOpen(open []OpenTransaction, openErr error, f *finding) {
	f.check.Checked = int64(len(a.outputs))
	for _, log := range a.outputs {
		if !log.undecidedRows() {
			continue
		}
		at := Position{Topic: log.topic, Partition: log.partition, Offset: log.stable}
		detail := "undecided from here on; the brokers name no producer"
		for _, transaction := range open {
			if transaction.Side == Output && transaction.Topic == log.topic && transaction.Partition == log.partition {
				detail = fmt.Sprintf("held by producer %d, transactional id %q", transaction.ProducerID, transaction.TransactionalID)
			}
		}
		f.add(func() Violation { return Violation{Output: &at, Detail: detail} })
	}
	if openErr != nil {
		f.check.Note = openErr.Error()
	}
	if a.config.AllowOpenTransactions && f.check.Status == Fail {
		f.skip("open transactions are allowed")
	}
}

func (a *audit) report(f *findings, open []OpenTransaction) Report {
	c := a.config
	report := Report{
		Verdict: Exact, Group: c.Group, Mode: c.Mode, Isolation: c.Isolation, InputIsolation: c.InputIsolation,
		Input:            sideReport(c.Inputs, a.inputs, c.InputIsolation),
		Output:           sideReport(c.Outputs, a.outputs, c.Isolation),
		OpenTransactions: append([]OpenTransaction{}, open...),
	}
	for _, finding := range []*finding{f.loss, f.duplicates, f.unexpected, f.content, f.keyOrder, f.order, f.aborted, f.future, f.open, f.identity} {
		report.Checks = append(report.Checks, finding.check)
		if finding.check.Status == Fail {
			report.Verdict = Violated
		}
	}
	return report
}

func sideReport(topics []string, logs []*partitionLog, view Isolation) SideReport {
	side := SideReport{Topics: topics, Partitions: []PartitionReport{}}
	for _, log := range logs {
		p := PartitionReport{Topic: log.topic, Partition: log.partition, Start: log.start, End: log.position}
		if log.side == Input {
			p.Required = &log.required
		}
		p.Counts.Markers = log.markers
		for _, c := range log.chunks {
			for i := range c.n {
				switch f := c.flags[i]; {
				case f&filtered != 0:
					p.Counts.Filtered++
				case visible(c, i, view):
					p.Counts.Visible++
				}
				switch f := c.flags[i]; {
				case f&undecided != 0:
					p.Counts.Undecided++
				case f&aborted != 0, f&shown == 0:
					p.Counts.Aborted++
				}
			}
		}
		side.Counts.add(p.Counts)
		side.Partitions = append(side.Partitions, p)
	}
	return side
}
