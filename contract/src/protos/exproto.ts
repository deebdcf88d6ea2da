/** exproto.proto as a file to hand out; a test holds the two together. */
export const exprotoProto = `// What a handler of the ExProto gateway speaks with the broker. Names and numbers are those of EMQX 5, so that a handler
// written for one works with the other.
//
// A handler implements ConnectionUnaryHandler (or ConnectionHandler, as the gateway is configured) and calls
// ConnectionAdapter. \`conn\` names a connection of a device in all of them.
syntax = "proto3";

package emqx.exproto.v1;

// The broker's side: what a handler can do with a connection.
service ConnectionAdapter {
  rpc Send(SendBytesRequest) returns (CodeResponse);
  rpc Close(CloseSocketRequest) returns (CodeResponse);

  // Before anything below: who the device is.
  rpc Authenticate(AuthenticateRequest) returns (CodeResponse);
  // From then on the device has to be heard of: one that is silent for one and a half intervals goes.
  rpc StartTimer(TimerRequest) returns (CodeResponse);

  rpc Publish(PublishRequest) returns (CodeResponse);
  rpc Subscribe(SubscribeRequest) returns (CodeResponse);
  rpc Unsubscribe(UnsubscribeRequest) returns (CodeResponse);
  // On nobody's behalf: no connection, no permission asked, no mountpoint.
  rpc RawPublish(RawPublishRequest) returns (CodeResponse);
}

// The handler's side, a call for each event: the next one of a connection comes when the last one is answered.
service ConnectionUnaryHandler {
  rpc OnSocketCreated(SocketCreatedRequest) returns (EmptySuccess);
  rpc OnSocketClosed(SocketClosedRequest) returns (EmptySuccess);
  rpc OnReceivedBytes(ReceivedBytesRequest) returns (EmptySuccess);
  rpc OnTimerTimeout(TimerTimeoutRequest) returns (EmptySuccess);
  rpc OnReceivedMessages(ReceivedMessagesRequest) returns (EmptySuccess);
}

// The same over five streams that stay open. Streams overtake each other, so an OnReceivedBytes may come before the
// OnSocketCreated of its connection.
service ConnectionHandler {
  rpc OnSocketCreated(stream SocketCreatedRequest) returns (EmptySuccess);
  rpc OnSocketClosed(stream SocketClosedRequest) returns (EmptySuccess);
  rpc OnReceivedBytes(stream ReceivedBytesRequest) returns (EmptySuccess);
  rpc OnTimerTimeout(stream TimerTimeoutRequest) returns (EmptySuccess);
  rpc OnReceivedMessages(stream ReceivedMessagesRequest) returns (EmptySuccess);
}

message EmptySuccess {}

enum ResultCode {
  SUCCESS = 0;
  UNKNOWN = 1;
  CONN_PROCESS_NOT_ALIVE = 2;  // there is no such connection any more
  REQUIRED_PARAMS_MISSED = 3;
  PARAMS_TYPE_ERROR = 4;
  PERMISSION_DENY = 5;
}

message CodeResponse {
  ResultCode code = 1;
  string message = 2;  // why not
}

message SendBytesRequest { string conn = 1; bytes bytes = 2; }
message CloseSocketRequest { string conn = 1; }
message AuthenticateRequest { string conn = 1; ClientInfo clientinfo = 2; string password = 3; }
message TimerRequest { string conn = 1; TimerType type = 2; uint32 interval = 3; }  // seconds
enum TimerType { KEEPALIVE = 0; }
message PublishRequest { string conn = 1; string topic = 2; uint32 qos = 3; bytes payload = 4; }
message RawPublishRequest { string topic = 1; uint32 qos = 2; bytes payload = 3; }
message SubscribeRequest { string conn = 1; string topic = 2; uint32 qos = 3; }
message UnsubscribeRequest { string conn = 1; string topic = 2; }

message SocketCreatedRequest { string conn = 1; ConnInfo conninfo = 2; }
message ReceivedBytesRequest { string conn = 1; bytes bytes = 2; }
message TimerTimeoutRequest { string conn = 1; TimerType type = 2; }
message SocketClosedRequest { string conn = 1; string reason = 2; }
message ReceivedMessagesRequest { string conn = 1; repeated Message messages = 2; }

message ConnInfo {
  SocketType socktype = 1;
  Address peername = 2;
  Address sockname = 3;
  CertificateInfo peercert = 4;
}
enum SocketType { TCP = 0; SSL = 1; UDP = 2; DTLS = 3; }
message Address { string host = 1; uint32 port = 2; }
message CertificateInfo { string cn = 1; string dn = 2; }

message ClientInfo {
  string proto_name = 1;
  string proto_ver = 2;
  string clientid = 3;
  string username = 4;
  string mountpoint = 5;  // without effect: that of the gateway holds
}

message Message {
  string node = 1;
  string id = 2;
  uint32 qos = 3;
  string from = 4;
  string topic = 5;
  bytes payload = 6;
  uint64 timestamp = 7;  // milliseconds since 1970
}
`;
