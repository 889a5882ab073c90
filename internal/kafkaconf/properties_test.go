package kafkaconf

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParseProperties(t *testing.T) {
	tests := []struct {
		name, text string
		want       map[string]string
	}{
		{"separators", "a=1\nb:2\nc 3\nd\t=\t4\ne : 5", map[string]string{"a": "1", "b": "2", "c": "3", "d": "4", "e": "5"}},
		{"only the first separator counts", "a==1\nb= =2\nurl:https://x:1/?a=b", map[string]string{"a": "=1", "b": "=2", "url": "https://x:1/?a=b"}},
		{"comments and blank lines", "# a=1\n  ! b=2\n\n \t\nc=3 # kept", map[string]string{"c": "3 # kept"}},
		{"trailing space belongs to the value", "a=1  \n", map[string]string{"a": "1  "}},
		{"line ends", "a=1\rb=2\r\nc=3", map[string]string{"a": "1", "b": "2", "c": "3"}},
		{"continuation", "jaas=Plain required \\\n    username=\"u\" \\\r\n\t password=\"p\";", map[string]string{"jaas": `Plain required username="u" password="p";`}},
		{"a comment sign in a continued line is text", "a=1\\\n#2", map[string]string{"a": "1#2"}},
		{"a comment is never continued", "# x\\\na=1", map[string]string{"a": "1"}},
		{"an even number of backslashes ends the line", "a=1\\\\\nb=2", map[string]string{"a": `1\`, "b": "2"}},
		{"continuation at the end of the text", "a=1\\", map[string]string{"a": "1"}},
		{"escapes", `a\=b\:c\ d=\t\n\r\f\\\z\"`, map[string]string{"a=b:c d": "\t\n\r\f\\z\""}},
		{"unicode escapes", `a=\u00e4\uD83D\ude00`, map[string]string{"a": "ä😀"}},
		{"UTF-8 text with a byte order mark", "\ufeffa=ä", map[string]string{"a": "ä"}},
		{"empty values", "a\nb=\nc:", map[string]string{"a": "", "b": "", "c": ""}},
		{"the last of equal keys wins", "a=1\na=2", map[string]string{"a": "2"}},
		{"empty file", "", map[string]string{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := ParseProperties(strings.NewReader(tt.text), "client.properties")
			require.NoError(t, err)
			assert.Equal(t, tt.want, got)
		})
	}
}

func TestParsePropertiesNamesTheLine(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"bad unicode escape", "a=1\n\nb=canary\\u12G4", "client.properties:3: in the value: invalid setting: \\u needs four hexadecimal digits"},
		{"short unicode escape", "b=\\u12", "client.properties:1:"},
		{"half a surrogate pair", "b=\\ud83d canary", "client.properties:1: in the value: invalid setting: half of a surrogate pair"},
		{"two high halves", "b=\\ud83d\\ud83d", "client.properties:1:"},
		{"no key", "a=1\n=canary", "client.properties:2: invalid setting: no key before the separator"},
		{"not UTF-8", "a=1\nb=\xff", "client.properties:2: invalid setting: not UTF-8"},
		{"line of a continued property", "a=1\nb=x\\\n y\\\n\\uzzzz", "client.properties:2:"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := ParseProperties(strings.NewReader(tt.text), "client.properties")
			require.ErrorIs(t, err, ErrInvalid)
			assert.ErrorContains(t, err, tt.want)
			assert.NotContains(t, err.Error(), "canary")
		})
	}
}

func TestParsePropertiesRefusesHugeInput(t *testing.T) {
	_, err := ParseProperties(strings.NewReader(strings.Repeat("#", maxPropertiesBytes+1)), "big")
	require.ErrorIs(t, err, ErrInvalid)
}

func FuzzParseProperties(f *testing.F) {
	for _, seed := range []string{"a=1", "a\\\n b", `\u0041=\ud83d\ude00`, "a=\\", "\r\n!x\na:b", "\\", " = "} {
		f.Add(seed)
	}
	// What is read, written down with everything escaped, must read back the same.
	f.Fuzz(func(t *testing.T, text string) {
		props, err := ParseProperties(strings.NewReader(text), "fuzz")
		if err != nil {
			return
		}
		var again strings.Builder
		for key, value := range props {
			again.WriteString(escapeProperty(key) + "=" + escapeProperty(value) + "\n")
		}
		got, err := ParseProperties(strings.NewReader(again.String()), "again")
		require.NoError(t, err, again.String())
		require.Equal(t, props, got)
	})
}

func escapeProperty(s string) string {
	return strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`, "\t", `\t`, "\f", `\f`, " ", `\ `,
		"=", `\=`, ":", `\:`, "#", `\#`, "!", `\!`, "\ufeff", `\ufeff`).Replace(s)
}

func TestLoadRefusesReadableSecrets(t *testing.T) {
	write := func(text string, mode os.FileMode) string {
		path := filepath.Join(t.TempDir(), "client.properties")
		require.NoError(t, os.WriteFile(path, []byte(text), mode))
		require.NoError(t, os.Chmod(path, mode))
		return path
	}
	literal := "sasl.password=canary\n"
	jaas := `sasl.jaas.config=o.a.k.PlainLoginModule required username="u" password="%s";`
	tests := []struct {
		name, text string
		mode       os.FileMode
		refused    bool
	}{
		{"literal, private", literal, 0o600, false},
		{"literal, group", literal, 0o640, false},
		{"literal, everyone", literal, 0o644, true},
		{"reference, everyone", "sasl.password=env:PW\nssl.keystore.key=file:/x\n", 0o644, false},
		{"jaas literal, everyone", strings.ReplaceAll(jaas, "%s", "canary"), 0o644, true},
		{"jaas reference, everyone", strings.ReplaceAll(jaas, "%s", "${env:PW}"), 0o644, false},
		{"whole jaas by reference, everyone", "sasl.jaas.config=file:/run/jaas", 0o644, false},
		{"no secret, everyone", "bootstrap.servers=a:1\n", 0o644, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Load(write(tt.text, tt.mode))
			if !tt.refused {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, ErrInsecure)
			assert.ErrorContains(t, err, "chmod 600")
			assert.NotContains(t, err.Error(), "canary")
		})
	}
	_, err := Load(filepath.Join(t.TempDir(), "absent.properties"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestSuggest(t *testing.T) {
	known := KnownKeys()
	tests := []struct{ key, want string }{
		{"bootstrap.server", "bootstrap.servers"},
		{"boostrap.servers", "bootstrap.servers"},
		{"sasl.mecahnism", "sasl.mechanism"},
		{"SECURITY.PROTOCOL", "security.protocol"},
		{"ssl.truststore.locaton", "ssl.truststore.location"},
		{"group.id", ""},
		{"", ""},
	}
	for _, tt := range tests {
		assert.Equal(t, tt.want, Suggest(tt.key, known), tt.key)
	}
	assert.Equal(t, "ab", Suggest("ba", []string{"ab"}), "a swap is one step")
	assert.Empty(t, Suggest("x", nil))
}
