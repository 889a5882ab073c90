package bench

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// shell starts a shell script as an arm and waits until it has said "ready",
// from when on its traps are set.
func shell(t *testing.T, script string) *child {
	t.Helper()
	c, err := startArm(context.Background(), Arm{Name: "sh", Command: `sh -c "` + script + `"`}, target{dir: t.TempDir()})
	require.NoError(t, err)
	t.Cleanup(c.kill)
	require.Eventually(t, func() bool {
		text, err := os.ReadFile(c.log)
		return err == nil && strings.Contains(string(text), "ready")
	}, 10*time.Second, time.Millisecond)
	return c
}

func TestStopAcceptsTheWaysToEndBySIGTERM(t *testing.T) {
	const wait = "echo ready; while :; do sleep 0.01; done"
	for name, script := range map[string]string{
		"by the signal's default action": wait,
		"with a clean exit":              "trap 'exit 0' TERM; " + wait,
		"as the JVM does":                "trap 'exit 143' TERM; " + wait,
	} {
		c := shell(t, script)
		require.NoError(t, c.gone(), name)
		usage, err := c.stop()
		require.NoError(t, err, name)
		assert.Less(t, usage.CPU, 10*time.Second, name)
		require.ErrorIs(t, c.gone(), ErrArmExited, name)
	}
}

func TestStopReportsAFailureOnTheWayOut(t *testing.T) {
	c := shell(t, "trap 'echo commit failed; exit 7' TERM; echo ready; while :; do sleep 0.01; done")
	_, err := c.stop()
	require.ErrorIs(t, err, ErrArmExited)
	assert.ErrorContains(t, err, "exit status 7")
	assert.ErrorContains(t, err, "commit failed")
}

// A child's peak memory must not include its parent's: this is why the
// kernel's ru_maxrss is not used.
func TestPeakRSSIsTheChildsOwn(t *testing.T) {
	if peakRSS(os.Getpid()) == 0 {
		t.Skip("this system does not tell a process's peak memory")
	}
	ballast := make([]byte, 100<<20)
	for i := 0; i < len(ballast); i += 4096 {
		ballast[i] = 1
	}
	usage, err := shell(t, "echo ready; while :; do sleep 0.01; done").stop()
	require.NoError(t, err)
	assert.Greater(t, peakRSS(os.Getpid()), int64(len(ballast)))
	assert.Positive(t, usage.PeakRSS)
	assert.Less(t, usage.PeakRSS, int64(50<<20))
	assert.EqualValues(t, 1, ballast[0])
}
