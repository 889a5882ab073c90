package settings

import (
	"slices"
	"strings"
)

// EnvironPrefix begins the name of every variable that FromEnviron reads.
const EnvironPrefix = "EOSPROC_"

// environ maps the name of a variable, without EnvironPrefix, to its key. It is a
// table and not a rule, because dots and underscores both become underscores
// (rack.aware.assignment.non_overlap_cost) and eosproc's own keys leave out their
// prefix (eosproc.http.address is EOSPROC_HTTP_ADDRESS).
var environ = buildEnviron()

func buildEnviron() map[string]string {
	names := make(map[string]string, len(forms))
	// Own keys last: where a short name is also another key's, that key keeps it.
	for _, form := range forms {
		names[environName(form)] = form
	}
	for _, form := range forms {
		if short, own := strings.CutPrefix(form, "eosproc."); own {
			if _, taken := names[environName(short)]; !taken {
				names[environName(short)] = form
			}
		}
	}
	return names
}

func environName(key string) string {
	return strings.ToUpper(strings.NewReplacer(".", "_", "-", "_").Replace(key))
}

// FromEnviron returns the keys that environment variables set; env has the form of
// os.Environ. EOSPROC_ and the key in upper case, with underscores for dots, name
// a key: EOSPROC_PROCESSING_GUARANTEE, EOSPROC_CONSUMER_FETCH_MAX_BYTES. The
// prefix of a key of eosproc's own may be left out: EOSPROC_HTTP_ADDRESS.
//
// An empty variable counts as not set. One that names no key is returned when it
// looks like a mistyped one, for [Parse] to report, and left alone otherwise: an
// orchestrator sets variables such as EOSPROC_SERVICE_HOST for a service of that
// name. reserved are variables, in full, that the caller itself reads.
func FromEnviron(env []string, reserved ...string) map[string]string {
	props := make(map[string]string)
	for _, variable := range env {
		name, value, found := strings.Cut(variable, "=")
		short, ours := strings.CutPrefix(name, EnvironPrefix)
		if !found || !ours || short == "" || value == "" || slices.Contains(reserved, name) {
			continue
		}
		if key, known := environ[short]; known {
			props[key] = value
			continue
		}
		key := strings.ToLower(strings.ReplaceAll(short, "_", "."))
		if _, wrong := wrongNames[key]; wrong || nearest(key, forms) != "" {
			props[key] = value
		}
	}
	return props
}
