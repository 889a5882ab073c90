//go:build unix

package localkafka

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// parentEnv makes the test binary a parent that starts a child and waits.
const parentEnv = "LOCALKAFKA_TEST_PARENT"

func TestMain(m *testing.M) {
	if log := os.Getenv(parentEnv); log != "" {
		p, err := spawn(exec.Command("sleep", "600"), log, false)
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println(p.cmd.Process.Pid)
		<-p.done
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// A parent that is killed cannot clean up; its brokers must end all the same.
func TestChildDiesWithItsKilledParent(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux signals the death of a parent")
	}
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), parentEnv+"="+filepath.Join(t.TempDir(), "log"))
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	child, err := strconv.Atoi(strings.TrimSpace(line))
	require.NoError(t, err)
	require.Eventually(t, func() bool { return alive(child, "sleep") }, 10*time.Second, 5*time.Millisecond, "the child never became sleep")

	require.NoError(t, cmd.Process.Kill())
	require.Error(t, cmd.Wait())
	require.Eventually(t, func() bool { return !alive(child, "sleep") }, 10*time.Second, 20*time.Millisecond)
}

// Go ends and makes threads all the time; none of that may reach the child.
func TestChildOutlivesThreads(t *testing.T) {
	p, err := spawn(exec.Command("sleep", "600"), filepath.Join(t.TempDir(), "log"), false)
	require.NoError(t, err)
	for range 50 {
		done := make(chan struct{})
		go func() {
			defer close(done)
			runtime.LockOSThread() // and never unlocked: the thread ends
		}()
		<-done
	}
	assert.True(t, p.running())
	require.NoError(t, p.cmd.Process.Kill())
	require.NoError(t, p.wait(t.Context()))
	assert.False(t, p.running())
}

func TestSpawnUnknownProgram(t *testing.T) {
	_, err := spawn(exec.Command("/no/such/java"), filepath.Join(t.TempDir(), "log"), false)
	require.ErrorContains(t, err, "start /no/such/java")
}

func TestAliveKnowsTheCommand(t *testing.T) {
	assert.True(t, alive(os.Getpid(), filepath.Base(os.Args[0])))
	assert.False(t, alive(os.Getpid(), "a command that was not given"))
	assert.False(t, alive(0, ""))
}

func TestPollTellsTheLastRefusal(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 120*time.Millisecond)
	defer cancel()
	err := poll(ctx, nil, func() (bool, error) { return false, os.ErrPermission })
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.ErrorIs(t, err, os.ErrPermission)
}
