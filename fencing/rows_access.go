package fencing

import "github.com/twmb/franz-go/pkg/kerr"

// denied are the rules of an error that only a person can mend.
var denied = []rule{every(anyRequest, fatal)}

// accessRows: who this client is, and what it may do.
var accessRows = []row{
	{
		err:     kerr.TransactionalIDAuthorizationFailed,
		meaning: "The principal may not write with this transactional id.",
		remedy:  "Grant Write and Describe on the TransactionalId, prefixed with application.id.",
		rules:   denied,
	},
	{
		err:     kerr.TopicAuthorizationFailed,
		meaning: "The principal may not do this with the topic.",
		remedy:  "Grant Read and Describe on inputs, Write and Describe on outputs, and all of them on topics prefixed with application.id.",
		rules:   denied,
	},
	{
		err:     kerr.GroupAuthorizationFailed,
		meaning: "The principal may not use the consumer group.",
		remedy:  "Grant Read and Describe on the Group named like application.id.",
		rules:   denied,
	},
	{
		err:     kerr.ClusterAuthorizationFailed,
		meaning: "The principal may not do this with the cluster.",
		remedy:  "Grant IdempotentWrite on the Cluster (brokers before 2.8), and Create where internal topics are to be created.",
		rules:   denied,
	},
	{
		err:     kerr.SaslAuthenticationFailed,
		meaning: "The broker did not accept the SASL credentials.",
		remedy:  "Check the user name, the password or token, and the mechanism.",
		rules:   denied,
	},
	{
		err:     kerr.UnsupportedSaslMechanism,
		meaning: "The broker does not offer this SASL mechanism on the listener.",
		remedy:  "Set sasl.mechanism to one that the listener offers.",
		rules:   denied,
	},
	{
		err:     kerr.IllegalSaslState,
		meaning: "The connection is not authenticated, or was authenticated twice.",
		remedy:  "Check that security.protocol matches the listener.",
		rules:   denied,
	},
	{
		err:     kerr.SecurityDisabled,
		meaning: "The broker has no authorizer, but the request needs one.",
		remedy:  "Enable an authorizer on the brokers.",
		rules:   denied,
	},
	{
		err:     kerr.DelegationTokenExpired,
		meaning: "The delegation token has expired.",
		remedy:  "Renew the delegation token.",
		rules:   denied,
	},
}
