/** Statements to begin with: what each is for, a message it fits, and what becomes of it. */
export interface SqlExample {
  id: string;
  title: { en: string; zh: string };
  scenario: { en: string; zh: string };
  sql: string;
  input: Record<string, unknown>;
  output: unknown;
}

export const examples: readonly SqlExample[] = [
  {
    id: 'payload',
    title: { en: 'Pick values out of the payload', zh: '从 Payload 中选取字段' },
    scenario: {
      en: 'Pumps report their pressure as JSON. Keep who sent it and the pressure, and only where it is too high.',
      zh: '水泵以 JSON 上报压力。仅在压力过高时保留上报者与压力值。',
    },
    sql: 'SELECT\n  clientid,\n  payload.pressure as bar\nFROM\n  "pumps/+/state"\nWHERE\n  payload.pressure > 6.5',
    input: { clientid: 'pump-7', topic: 'pumps/7/state', payload: '{"pressure":7.2,"rpm":1450}' },
    output: { clientid: 'pump-7', bar: 7.2 },
  },
  {
    id: 'events',
    title: { en: 'Two events in one rule', zh: '一条规则处理两种事件' },
    scenario: {
      en: 'Keep a diary of who comes and goes: both events go the same way, and each says which one it was.',
      zh: '记录客户端的上线与下线：两种事件走同一条规则，并标明是哪一种。',
    },
    sql: "SELECT\n  event,\n  clientid,\n  format_date('millisecond', 'Z', '%Y-%m-%d %H:%M:%S', timestamp) as at\nFROM\n  \"$events/client_connected\",\n  \"$events/client_disconnected\"",
    input: { event: 'client.connected', clientid: 'van-12', timestamp: 1_700_000_000_000 },
    output: { event: 'client.connected', clientid: 'van-12', at: '2023-11-14 22:13:20' },
  },
  {
    id: 'foreach',
    title: { en: 'One result for each item of a list (FOREACH)', zh: '数组每个元素一个结果（FOREACH）' },
    scenario: {
      en: 'A gateway sends the readings of all its sensors in one message. Make a message of each reading.',
      zh: '网关在一条消息中上报所有传感器读数，将每个读数拆为单独的结果。',
    },
    sql: 'FOREACH\n  payload.readings as reading\nDO\n  clientid as gateway,\n  reading.sensor as sensor,\n  reading.value as value\nFROM\n  "gateways/+/readings"',
    input: {
      clientid: 'gw-1',
      topic: 'gateways/1/readings',
      payload: '{"readings":[{"sensor":"a","value":3},{"sensor":"b","value":8}]}',
    },
    output: [
      { gateway: 'gw-1', sensor: 'a', value: 3 },
      { gateway: 'gw-1', sensor: 'b', value: 8 },
    ],
  },
  {
    id: 'incase',
    title: { en: 'Only some items of a list (DO and INCASE)', zh: '仅处理部分元素（DO 与 INCASE）' },
    scenario: {
      en: 'The same readings, but only those above a limit are worth a message.',
      zh: '同样的读数，但只有超过阈值的才需要处理。',
    },
    sql: 'FOREACH\n  payload.readings as reading\nDO\n  reading.sensor as sensor,\n  reading.value as value\nINCASE\n  reading.value > 5\nFROM\n  "gateways/+/readings"',
    input: {
      clientid: 'gw-1',
      topic: 'gateways/1/readings',
      payload: '{"readings":[{"sensor":"a","value":3},{"sensor":"b","value":8}]}',
    },
    output: [{ sensor: 'b', value: 8 }],
  },
  {
    id: 'case',
    title: { en: 'Choose a value by conditions (CASE WHEN)', zh: '按条件取值（CASE WHEN）' },
    scenario: {
      en: 'Tanks report how full they are. A word is easier to alarm on than a number.',
      zh: '储罐上报液位百分比，将数值转换为便于告警的级别。',
    },
    sql: "SELECT\n  clientid as tank,\n  CASE WHEN payload.level < 10 THEN 'empty' WHEN payload.level > 90 THEN 'full' ELSE 'fine' END as state\nFROM\n  \"tanks/#\"",
    input: { clientid: 'tank-3', topic: 'tanks/3', payload: '{"level":94}' },
    output: { tank: 'tank-3', state: 'full' },
  },
  {
    id: 'nested',
    title: { en: 'Reach into lists and maps', zh: '访问嵌套的数组与映射' },
    scenario: {
      en: 'A charger sends its history, newest last. Only the newest entry is of interest; places count from 1, or from the end.',
      zh: '充电桩上报历史记录，最新的在最后。只需最后一条；下标自 1 起，负数自末尾起。',
    },
    sql: 'SELECT\n  payload.history[-1].kwh as kwh,\n  payload.history[1].kwh as first_kwh,\n  payload.owner.name as owner\nFROM\n  "chargers/+"',
    input: {
      clientid: 'charger-9',
      topic: 'chargers/9',
      payload: '{"owner":{"name":"Lin"},"history":[{"kwh":4},{"kwh":11}]}',
    },
    output: { kwh: 11, first_kwh: 4, owner: 'Lin' },
  },
  {
    id: 'topic',
    title: { en: 'Take a level of the topic along', zh: '提取主题的层级' },
    scenario: {
      en: 'The topic says where the thermometer hangs. Put the room beside the temperature.',
      zh: '主题中包含温度计所在的房间，将房间与温度放在一起。',
    },
    sql: 'SELECT\n  nth(2, split(topic, \'/\')) as room,\n  payload.celsius * 1.8 + 32 as fahrenheit\nFROM\n  "rooms/+/temperature"',
    input: { topic: 'rooms/cellar/temperature', payload: '{"celsius":10}' },
    output: { room: 'cellar', fahrenheit: 50 },
  },
  {
    id: 'republish',
    title: { en: 'Write into the payload', zh: '改写 Payload' },
    scenario: {
      en: 'Add the time and the sender to the payload, then republish it as ${payload}.',
      zh: '在 Payload 中加入时间与发送者，再以 ${payload} 重新发布。',
    },
    sql: 'SELECT\n  json_decode(payload) as payload,\n  timestamp as payload.at,\n  clientid as payload.by\nFROM\n  "raw/#"',
    input: {
      clientid: 'meter-2',
      topic: 'raw/meter-2',
      timestamp: 1_700_000_000_000,
      payload: '{"kwh":12}',
    },
    output: { payload: { kwh: 12, at: 1_700_000_000_000, by: 'meter-2' } },
  },
];
