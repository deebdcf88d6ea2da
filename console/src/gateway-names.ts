/** What gateways are called, in every language; one that a newer broker has keeps its own name. */
const NAMES: Readonly<Record<string, string>> = {
  coap: 'CoAP',
  exproto: 'ExProto',
  lwm2m: 'LwM2M',
  mqttsn: 'MQTT-SN',
  stomp: 'STOMP',
};

export const gatewayTitle = (name: string): string => NAMES[name] ?? name;
