import { decodeMessage, type ProtoSchema, readSchema } from './protobuf.ts';

/** The payload of Sparkplug B 3.0 (section 6.4), as far as values are concerned. */
const SCHEMA = `
syntax = "proto2";
message Payload {
  optional uint64 timestamp = 1;
  repeated Metric metrics = 2;
  optional uint64 seq = 3;
  optional string uuid = 4;
  optional bytes body = 5;
}
message Metric {
  optional string name = 1;
  optional uint64 alias = 2;
  optional uint64 timestamp = 3;
  optional uint32 datatype = 4;
  optional bool is_historical = 5;
  optional bool is_transient = 6;
  optional bool is_null = 7;
  optional MetaData metadata = 8;
  optional PropertySet properties = 9;
  optional uint32 int_value = 10;
  optional uint64 long_value = 11;
  optional float float_value = 12;
  optional double double_value = 13;
  optional bool boolean_value = 14;
  optional string string_value = 15;
  optional bytes bytes_value = 16;
  optional DataSet dataset_value = 17;
  optional Template template_value = 18;
}
message MetaData {
  optional bool is_multi_part = 1;
  optional string content_type = 2;
  optional uint64 size = 3;
  optional uint64 seq = 4;
  optional string file_name = 5;
  optional string file_type = 6;
  optional string md5 = 7;
  optional string description = 8;
}
message PropertyValue {
  optional uint32 type = 1;
  optional bool is_null = 2;
  optional uint32 int_value = 3;
  optional uint64 long_value = 4;
  optional float float_value = 5;
  optional double double_value = 6;
  optional bool boolean_value = 7;
  optional string string_value = 8;
  optional PropertySet propertyset_value = 9;
}
message PropertySet {
  repeated string keys = 1;
  repeated PropertyValue values = 2;
}
message DataSet {
  optional uint64 num_of_columns = 1;
  repeated string columns = 2;
  repeated uint32 types = 3;
  repeated Row rows = 4;
}
message Row {
  repeated Cell elements = 1;
}
message Cell {
  optional uint32 int_value = 1;
  optional uint64 long_value = 2;
  optional float float_value = 3;
  optional double double_value = 4;
  optional bool boolean_value = 5;
  optional string string_value = 6;
}
message Template {
  optional string version = 1;
  repeated Metric metrics = 2;
  optional string template_ref = 4;
  optional bool is_definition = 5;
}
`;

/** Data types whose values are signed but travel unsigned, with their bits (section 6.4.16). */
const SIGNED: Readonly<Record<number, number>> = { 1: 8, 2: 16, 3: 32, 4: 64 };

let schema: ProtoSchema | undefined;

/** Throws an Error where the bytes are no such payload. Each metric has its `value`, whatever it travelled as. */
export function decodeSparkplug(bytes: Uint8Array): Record<string, unknown> {
  schema ??= readSchema(SCHEMA);
  const payload = decodeMessage(schema, 'Payload', bytes);
  const { metrics } = payload;
  return Array.isArray(metrics) ? { ...payload, metrics: metrics.map(metricOf) } : payload;
}

function metricOf(metric: Record<string, unknown>): Record<string, unknown> {
  const entry = Object.entries(metric).find(([name]) => name.endsWith('_value'));
  if (!entry) return metric.is_null === true ? { ...metric, value: null } : metric;
  const { [entry[0]]: _, ...rest } = metric;
  const bits = SIGNED[Number(metric.datatype)];
  const [, raw] = entry;
  const isWhole = typeof raw === 'bigint' || typeof raw === 'number';
  return { ...rest, value: bits !== undefined && isWhole ? BigInt.asIntN(bits, BigInt(raw)) : raw };
}

export const isSparkplugTopic = (topic: string): boolean => topic.startsWith('spBv1.0/');
