// Package deploy holds what docker-compose.yml needs: the image of eosproc, and
// the provisioning of Prometheus and Grafana. It has no Go code beside the tests
// that keep these files consistent with each other and with the metric names.
//
// It must not be imported. The dashboard may only use metrics of eosproc's own,
// which begin with eosproc_.
package deploy
