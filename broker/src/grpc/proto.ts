import { fromJSON, type PackageDefinition, type ServiceDefinition } from '@grpc/proto-loader';

/** `string name = 1`, `repeated Property props = 2`, `map<string, string> headers = 8`. */
const FIELD = /^(?:(repeated) |map<(\w+), (\w+)> ?)?(?:(\w+) )?(\w+) = (\d+)$/;

interface Field {
  type: string;
  id: number;
  rule?: 'repeated';
  keyType?: string;
}

export interface MessageText {
  /** As in a .proto file, separated by semicolons. */
  fields: string;
  enums?: Record<string, readonly string[]>;
  /** Its name, and the fields of which there is one at most. */
  oneof?: readonly [string, readonly string[]];
}

/** What a .proto file says, in the short form in which the program carries it. */
export interface PackageText {
  package: string;
  /** Of each service its calls: request, response, and whether requests come as a stream. */
  services: Record<string, Record<string, readonly [request: string, response: string, stream?: 'stream']>>;
  messages: Record<string, string | MessageText>;
  /** The values from zero on. */
  enums?: Record<string, readonly string[]>;
}

/** Services by their full name, messages too. */
export function loadPackage(text: PackageText): PackageDefinition {
  const parts: Record<string, object> = {
    ...mapped(text.enums ?? {}, enumOf),
    ...mapped(text.messages, (message) =>
      messageOf(typeof message === 'string' ? { fields: message } : message),
    ),
    ...mapped(text.services, (methods) => ({
      methods: mapped(methods, ([requestType, responseType, stream]) => ({
        requestType,
        responseType,
        ...(stream && { requestStream: true }),
      })),
    })),
  };
  const json = text.package
    .split('.')
    .reduceRight<object>((nested, name) => ({ nested: { [name]: nested } }), {
      nested: parts,
    });
  return fromJSON(json, {
    longs: Number,
    enums: String,
    defaults: true,
    arrays: true,
    objects: true,
    oneofs: true,
  });
}

export function serviceOf(definition: PackageDefinition, name: string): ServiceDefinition {
  return definition[name] as ServiceDefinition;
}

const mapped = <T, U>(values: Record<string, T>, make: (value: T) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, make(value)]));

const enumOf = (names: readonly string[]) => ({
  values: Object.fromEntries(names.map((name, number) => [name, number])),
});

const messageOf = ({ fields, enums = {}, oneof }: MessageText) => ({
  fields: Object.fromEntries(
    fields
      .split(';')
      .map((field) => field.trim())
      .filter((field) => field !== '')
      .map(fieldOf),
  ),
  ...(oneof && { oneofs: { [oneof[0]]: { oneof: [...oneof[1]] } } }),
  nested: mapped(enums, enumOf),
});

function fieldOf(text: string): [string, Field] {
  const [, repeated, keyType, valueType, type, name, id] = FIELD.exec(text) ?? [];
  if (name === undefined) throw new Error(`no field: ${text}`);
  return [
    name,
    {
      type: (valueType ?? type)!,
      id: Number(id),
      ...(repeated !== undefined && { rule: 'repeated' }),
      ...(keyType !== undefined && { keyType }),
    },
  ];
}
