/** What a result mostly holds: the fields of a message. */
export const ROW_PLACEHOLDERS: readonly string[] = [
  '.',
  'payload',
  'payload.value',
  'topic',
  'clientid',
  'username',
  'qos',
  'id',
  'timestamp',
];
