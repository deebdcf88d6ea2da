/** exhook.proto as a file to hand out; a test holds the two together. */
export const exhookProto = `// What an exhook server implements. Names and numbers are those of EMQX 5, so that a server written for one works with the
// other. Servers that know only the package emqx.exhook.v2 (EMQX 5.0 to 5.8) are understood as well: what v3 has more are
// the fields user_props.
//
// Only OnClientAuthenticate, OnClientAuthorize and OnMessagePublish decide anything. What is told otherwise comes in order
// for each client, and is dropped when a server is too slow for it.
syntax = "proto3";

package emqx.exhook.v3;

service HookProvider {
  // The first call after each connection: its answer names the hooks that the server wants.
  rpc OnProviderLoaded(ProviderLoadedRequest) returns (LoadedResponse);
  // The last call, when the server is disabled, changed or removed, or the broker ends.
  rpc OnProviderUnloaded(ProviderUnloadedRequest) returns (EmptySuccess);

  rpc OnClientConnect(ClientConnectRequest) returns (EmptySuccess);
  rpc OnClientConnack(ClientConnackRequest) returns (EmptySuccess);
  rpc OnClientConnected(ClientConnectedRequest) returns (EmptySuccess);
  rpc OnClientDisconnected(ClientDisconnectedRequest) returns (EmptySuccess);
  rpc OnClientAuthenticate(ClientAuthenticateRequest) returns (ValuedResponse);
  rpc OnClientAuthorize(ClientAuthorizeRequest) returns (ValuedResponse);
  rpc OnClientSubscribe(ClientSubscribeRequest) returns (EmptySuccess);
  rpc OnClientUnsubscribe(ClientUnsubscribeRequest) returns (EmptySuccess);

  rpc OnSessionCreated(SessionCreatedRequest) returns (EmptySuccess);
  rpc OnSessionSubscribed(SessionSubscribedRequest) returns (EmptySuccess);
  rpc OnSessionUnsubscribed(SessionUnsubscribedRequest) returns (EmptySuccess);
  rpc OnSessionResumed(SessionResumedRequest) returns (EmptySuccess);
  rpc OnSessionDiscarded(SessionDiscardedRequest) returns (EmptySuccess);
  rpc OnSessionTakenover(SessionTakenoverRequest) returns (EmptySuccess);
  rpc OnSessionTerminated(SessionTerminatedRequest) returns (EmptySuccess);

  rpc OnMessagePublish(MessagePublishRequest) returns (ValuedResponse);
  rpc OnMessageDelivered(MessageDeliveredRequest) returns (EmptySuccess);
  rpc OnMessageDropped(MessageDroppedRequest) returns (EmptySuccess);
  rpc OnMessageAcked(MessageAckedRequest) returns (EmptySuccess);
}

// --- the broker asks

message ProviderLoadedRequest { BrokerInfo broker = 1; RequestMeta meta = 2; }
message ProviderUnloadedRequest { RequestMeta meta = 1; }

message ClientConnectRequest {
  ConnInfo conninfo = 1;
  repeated Property props = 2;  // of MQTT 5, User Property apart
  RequestMeta meta = 3;
  repeated Property user_props = 4;
}
message ClientConnackRequest {
  ConnInfo conninfo = 1;
  string result_code = 2;  // "success", "not_authorized" …
  repeated Property props = 3;
  RequestMeta meta = 4;
  repeated Property user_props = 5;
}
message ClientConnectedRequest { ClientInfo clientinfo = 1; RequestMeta meta = 2; }
message ClientDisconnectedRequest { ClientInfo clientinfo = 1; string reason = 2; RequestMeta meta = 3; }
message ClientAuthenticateRequest {
  ClientInfo clientinfo = 1;
  bool result = 2;  // what the servers before have said
  RequestMeta meta = 3;
}
message ClientAuthorizeRequest {
  enum AuthorizeReqType { PUBLISH = 0; SUBSCRIBE = 1; }
  ClientInfo clientinfo = 1;
  AuthorizeReqType type = 2;
  string topic = 3;  // of a shared subscription the filter without its group
  bool result = 4;   // what the servers before have said, or what holds without any
  RequestMeta meta = 5;
}
message ClientSubscribeRequest {
  ClientInfo clientinfo = 1;
  repeated Property props = 2;
  repeated TopicFilter topic_filters = 3;
  RequestMeta meta = 4;
  repeated Property user_props = 5;
}
message ClientUnsubscribeRequest {
  ClientInfo clientinfo = 1;
  repeated Property props = 2;
  repeated TopicFilter topic_filters = 3;
  RequestMeta meta = 4;
  repeated Property user_props = 5;
}

message SessionCreatedRequest { ClientInfo clientinfo = 1; RequestMeta meta = 2; }
message SessionSubscribedRequest {
  ClientInfo clientinfo = 1;
  string topic = 2;  // the filter
  SubOpts subopts = 3;
  RequestMeta meta = 4;
}
message SessionUnsubscribedRequest { ClientInfo clientinfo = 1; string topic = 2; RequestMeta meta = 3; }
message SessionResumedRequest { ClientInfo clientinfo = 1; RequestMeta meta = 2; }
message SessionDiscardedRequest { ClientInfo clientinfo = 1; RequestMeta meta = 2; }
message SessionTakenoverRequest { ClientInfo clientinfo = 1; RequestMeta meta = 2; }
message SessionTerminatedRequest { ClientInfo clientinfo = 1; string reason = 2; RequestMeta meta = 3; }

message MessagePublishRequest {
  Message message = 1;
  RequestMeta meta = 2;
  repeated Property props = 3;
  repeated Property user_props = 4;
}
message MessageDeliveredRequest { ClientInfo clientinfo = 1; Message message = 2; RequestMeta meta = 3; }
message MessageDroppedRequest { Message message = 1; string reason = 2; RequestMeta meta = 3; }
message MessageAckedRequest { ClientInfo clientinfo = 1; Message message = 2; RequestMeta meta = 3; }

// --- a server answers

message LoadedResponse { repeated HookSpec hooks = 1; }

message ValuedResponse {
  // CONTINUE: the value holds, and the next server may change it. STOP_AND_RETURN: it holds, and no other is asked.
  // IGNORE: no opinion.
  enum ResponsedType { CONTINUE = 0; IGNORE = 1; STOP_AND_RETURN = 2; }
  ResponsedType type = 1;
  oneof value {
    bool bool_result = 3;  // of OnClientAuthenticate and OnClientAuthorize
    Message message = 4;   // of OnMessagePublish: its topic, payload, qos and the header allow_publish are obeyed
  }
}

message EmptySuccess {}

// --- of what both speak

message BrokerInfo {
  string version = 1;
  string sysdescr = 2;
  int64 uptime = 3;  // milliseconds
  string datetime = 4;
}

message HookSpec {
  string name = 1;             // "client.connect", "message.publish" …
  repeated string topics = 2;  // of message hooks the filters, none = every topic
}

message ConnInfo {
  string node = 1;
  string clientid = 2;
  string username = 3;
  string peerhost = 4;
  uint32 sockport = 5;
  string proto_name = 6;
  string proto_ver = 7;
  uint32 keepalive = 8;  // seconds
  uint32 peerport = 9;
}

message ClientInfo {
  string node = 1;
  string clientid = 2;
  string username = 3;
  string password = 4;  // in OnClientAuthenticate only
  string peerhost = 5;
  uint32 sockport = 6;
  string protocol = 7;  // "mqtt", "stomp" …
  string mountpoint = 8;
  bool is_superuser = 9;
  bool anonymous = 10;
  string cn = 11;  // of its certificate
  string dn = 12;
  uint32 peerport = 13;
}

message Message {
  string node = 1;
  string id = 2;
  uint32 qos = 3;
  string from = 4;  // the client id of its publisher
  string topic = 5;
  bytes payload = 6;
  uint64 timestamp = 7;  // milliseconds since 1970
  // username, protocol and peerhost tell of the publisher where it is a client. A server that answers allow_publish "false"
  // keeps the message from everybody.
  map<string, string> headers = 8;
}

message Property { string name = 1; string value = 2; }

message TopicFilter {
  reserved 2;
  reserved "qos";
  string name = 1;  // as subscribed, "$share/group/" included
  SubOpts subopts = 3;
}

message SubOpts {
  reserved 2;
  reserved "share";
  uint32 qos = 1;
  uint32 rh = 3;   // retain handling
  uint32 rap = 4;  // retain as published
  uint32 nl = 5;   // no local
}

message RequestMeta {
  string node = 1;
  string version = 2;
  string sysdescr = 3;
  string cluster_name = 4;
}
`;
