package localkafka

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// newClusterID makes an id as Kafka's Uuid prints it: 16 bytes in URL base64.
// One that begins with '-' would be taken for an option by the storage tool.
func newClusterID() string {
	for {
		var b [16]byte
		rand.Read(b[:]) // never fails, by its documentation
		if id := base64.RawURLEncoding.EncodeToString(b[:]); id[0] != '-' {
			return id
		}
	}
}

// format prepares the broker's log directory, unless it is already formatted.
func (b *Broker) format(ctx context.Context, st state) error {
	_, err := os.Stat(filepath.Join(b.dir, "data", "meta.properties"))
	if err == nil {
		return nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("look for formatted storage: %w", err)
	}
	logPath := filepath.Join(b.dir, "format.log")
	// The tool runs for half a second: the optimising compiler would only cost.
	p, err := spawn(b.install.command([]string{"-Xmx256m", "-XX:TieredStopAtLevel=1"}, "kafka.tools.StorageTool",
		"format", "--cluster-id", st.ClusterID, "--config", b.config(),
		"--feature", "transaction.version="+strconv.Itoa(st.TransactionVersion)), logPath, false)
	if err != nil {
		return fmt.Errorf("format storage of broker %d: %w", b.id, err)
	}
	if err := p.wait(ctx); err != nil {
		// A failed kill means that the tool has just ended by itself.
		_ = p.cmd.Process.Kill()
		<-p.done
		return fmt.Errorf("format storage of broker %d: %w", b.id, err)
	}
	if p.err != nil {
		return fmt.Errorf("format storage of broker %d: %w: %s", b.id, p.err, lastFault(logPath))
	}
	return nil
}
