import { api } from '@mqdeck/contract/api';
import { choiceFilter, listFilter, textFilter, timeFilter } from '../../table/filters.ts';
import { words } from './words.ts';

const yesNo = [
  { value: 'true', label: words.yes },
  { value: 'false', label: words.no },
];

export const clientFilters = [
  textFilter('like_clientid', words.clientidHas),
  textFilter('like_username', words.usernameHas),
  choiceFilter(
    'conn_state',
    words.connected,
    [
      { value: 'connected', label: words.stateConnected },
      { value: 'disconnected', label: words.stateDisconnected },
    ],
    { pinned: true },
  ),
  choiceFilter('node', words.node, async (ask) =>
    (await ask(api.nodes.list, {})).map(({ node }) => ({ value: node })),
  ),
  listFilter('clientid', words.clientidIs),
  listFilter('username', words.usernameIs),
  textFilter('ip_address', words.ipAddress, { pinned: false }),
  choiceFilter('proto_ver', words.protoVersion, [
    { value: '3', label: 'MQTT 3.1' },
    { value: '4', label: 'MQTT 3.1.1' },
    { value: '5', label: 'MQTT 5.0' },
  ]),
  textFilter('proto_name', words.protoName, { pinned: false }),
  choiceFilter('clean_start', words.cleanStart, yesNo),
  timeFilter('gte_connected_at', words.connectedAfter),
  timeFilter('lte_connected_at', words.connectedBefore),
  timeFilter('gte_created_at', words.createdAfter),
  timeFilter('lte_created_at', words.createdBefore),
];
