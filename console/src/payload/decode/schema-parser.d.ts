declare module 'protocol-buffers-schema' {
  export interface SchemaField {
    name: string;
    type: string;
    tag: number;
    repeated: boolean;
    map: { from: string; to: string } | null;
    options: Record<string, unknown>;
  }
  export interface SchemaEnum {
    name: string;
    values: Record<string, { value: number }>;
  }
  export interface SchemaMessage {
    name: string;
    enums: SchemaEnum[];
    messages: SchemaMessage[];
    fields: SchemaField[];
  }
  export interface Schema {
    package: string | null;
    enums: SchemaEnum[];
    messages: SchemaMessage[];
  }
  export function parse(text: string): Schema;
}
