import {
  DurableSessions,
  FlappingDetect,
  ForceGc,
  ForceShutdown,
  MqttSettings,
} from '@mqdeck/contract/zones';
import { act, cleanup, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, test } from 'vitest';
import { setLanguage } from '../../i18n/language.ts';
import { absent, foreign, json, refused } from '../../testing/answers.ts';
import { brokerBehindFetch } from '../../testing/broker-behind-fetch.ts';
import { fill } from '../../testing/fill.ts';
import { closePage, openPages } from '../../testing/open-pages.tsx';
import { generalWords } from './general-words.ts';
import { MqttGeneralPage } from './MqttGeneralPage.tsx';
import { MqttSessionPage } from './MqttSessionPage.tsx';
import { sessionWords } from './session-words.ts';

const SESSION_KEYS = [
  'session_expiry_interval',
  'max_subscriptions',
  'upgrade_qos',
  'max_inflight',
  'retry_interval',
  'max_awaiting_rel',
  'await_rel_timeout',
  'max_mqueue_len',
  'mqueue_store_qos0',
  'mqueue_priorities',
  'mqueue_default_priority',
];
const standards = () => ({
  mqtt: MqttSettings.parse({}) as Record<string, unknown>,
  flapping_detect: FlappingDetect.parse({}),
  force_shutdown: ForceShutdown.parse({}),
  force_gc: ForceGc.parse({}),
  durable_sessions: DurableSessions.parse({}),
});

/** A broker's settings, behind fetch; `zones` undefined = it has none that can be set. */
let global: ReturnType<typeof standards>;
let zones: Record<string, Record<string, unknown>> | undefined;
let listeners: { id: string; zone: string; connections: number }[] | undefined;
let puts: { path: string; body: Record<string, never> }[];
let refusal: Response | undefined;
let broken: boolean;

function answerOf(method: string, path: string, body: Record<string, never>): Response {
  if (path === '/configs/global_zone') {
    if (method === 'PUT') global = body as unknown as typeof global;
    return 'force_shutdown' in global ? json(global) : foreign(json(global));
  }
  if (path === '/configs/zones') {
    if (broken) return refused('INTERNAL_ERROR', 'no quorum');
    if (!zones) return absent();
    if (method === 'PUT')
      for (const [name, zone] of Object.entries(body as Record<string, Record<string, unknown> | null>))
        if (zone === null) delete zones[name];
        else zones[name] = zone;
    return json(zones);
  }
  if (!path.startsWith('/listeners') || !listeners) return absent();
  if (path === '/listeners')
    return json(
      listeners.map(({ id, connections }) => {
        const status = { running: true, current_connections: connections, max_connections: 'infinity' };
        return {
          id,
          type: id.split(':')[0],
          name: id.split(':')[1],
          bind: '0.0.0.0:1',
          enable: true,
          acceptors: 16,
          number: 1,
          status,
          node_status: [{ node: 'n', status }],
        };
      }),
    );
  const id = decodeURIComponent(path.split('/')[2]!);
  const { zone, connections = 0 } = listeners.find((one) => one.id === id) ?? {};
  return json({
    ...{ id, type: id.split(':')[0], zone, bind: '0.0.0.0:1', enable: true },
    ...{ running: true, current_connections: connections },
  });
}

brokerBehindFetch<Record<string, never>>(({ method, path, body }) => {
  if (method === 'PUT') puts.push({ path, body });
  return (method === 'PUT' && refusal) || answerOf(method, path, body);
});

beforeEach(() => {
  global = standards();
  zones = {};
  listeners = [];
  puts = [];
  refusal = undefined;
  broken = false;
});

const show = (Page: () => React.ReactNode, address = '/here') =>
  openPages({ '/$': Page }, address).router.history;

const box = (name: string | RegExp) => screen.findByRole('textbox', { name }) as Promise<HTMLInputElement>;
const shownBox = (name: string) => screen.getByRole('textbox', { name }) as HTMLInputElement;
const choice = (name: string | RegExp) => screen.getByRole('combobox', { name }) as HTMLSelectElement;
async function retype(name: string, text: string) {
  const input = await box(name);
  await fill(userEvent, input, text);
}
const press = (name: string | RegExp) => userEvent.click(screen.getByRole('button', { name }));
const saved = () => waitFor(() => expect(screen.queryByRole('button', { name: 'Discard' })).toBeNull());
const tabNames = () => screen.getAllByRole('tab').map(({ textContent }) => textContent);

describe('the global settings', () => {
  test('every key is on one of the two pages, with a label and a hint in both languages', async () => {
    for (const key of Object.keys(standards().mqtt)) {
      const words: Record<string, { en: string; zh: string }> = SESSION_KEYS.includes(key)
        ? sessionWords
        : generalWords;
      for (const word of [words[key], words[`mqtt.${key}.hint`]]) {
        expect(word?.en, key).toMatch(/\w/);
        expect(word?.zh, key).toMatch(/\p{Script=Han}|QoS/u);
      }
    }
    show(MqttGeneralPage);
    await box('Idle timeout');
    const fields = () =>
      [...document.querySelectorAll<HTMLElement>('[data-field]')].map((one) => one.dataset.field);
    const ofMqtt = Object.keys(standards().mqtt).map((key) => `mqtt.${key}`);
    const general = fields();
    cleanup();
    show(MqttSessionPage);
    await box('Inflight window');
    const session = fields().filter((name) => name?.startsWith('mqtt.'));
    expect(session.sort()).toEqual(SESSION_KEYS.map((key) => `mqtt.${key}`).sort());
    expect([...general, ...session].sort()).toEqual(ofMqtt.sort());
  });

  test('are sent as a whole, with what others have changed meanwhile', async () => {
    show(MqttGeneralPage);
    await retype('Max topic levels', '7');
    await userEvent.selectOptions(choice('Max QoS'), 'QoS 1');
    global = {
      ...global,
      flapping_detect: { ...global.flapping_detect, enable: true },
      mqtt: { ...global.mqtt, max_inflight: 99, keepalive_of_tomorrow: 1 },
    };
    await press('Save');
    await saved();
    expect(puts).toEqual([
      {
        path: '/configs/global_zone',
        body: {
          ...standards(),
          flapping_detect: { ...standards().flapping_detect, enable: true },
          mqtt: {
            ...standards().mqtt,
            max_inflight: 99,
            keepalive_of_tomorrow: 1,
            max_topic_levels: 7,
            max_qos_allowed: 1,
          },
        },
      },
    ]);
  });

  test('of which the same key was changed by somebody else are not overwritten unasked', async () => {
    show(MqttGeneralPage);
    await retype('Max topic levels', '7');
    global = { ...global, mqtt: { ...global.mqtt, max_topic_levels: 9 } };
    await press('Save');
    await screen.findByText('Somebody else has changed what you are changing');
    expect(puts).toEqual([]);
    await press('Take theirs');
    expect(shownBox('Max topic levels').value).toBe('9');
  });

  test('a text that was emptied is sent as such', async () => {
    global.mqtt.response_information = 'replies/';
    show(MqttGeneralPage);
    await retype('Response information', '');
    await press('Save');
    await saved();
    expect(puts[0]!.body).toMatchObject({ mqtt: { response_information: '' } });
  });

  test.each([
    [
      'Max client ID length',
      '22',
      'Fill in the error: the number range is 23 - 65535',
      '填写错误：数值范围为 23 - 65535',
    ],
    [
      'Max topic levels',
      '0',
      'Fill in the error: the number range is 1 - 65535',
      '填写错误：数值范围为 1 - 65535',
    ],
    [
      'Max topic aliases',
      '65536',
      'Fill in the error: the number range is 0 - 65535',
      '填写错误：数值范围为 0 - 65535',
    ],
    [
      'Max packet size',
      '257',
      'Fill in the error: the number range is 1 B - 268435455 B',
      '填写错误：数值范围为 1 B - 268435455 B',
    ],
    [
      'Keepalive multiplier',
      '0.5',
      'Fill in the error: the number range is 1 - 100',
      '填写错误：数值范围为 1 - 100',
    ],
    ['Idle timeout', 'soon', 'Type error: please enter a whole number', '类型错误：请输入整数'],
    ['Max topic levels', '', 'Max topic levels is required', '请输入主题最大层级数'],
  ])('%s refuses "%s" beside the field, in both languages', async (name, text, en, zh) => {
    show(MqttGeneralPage);
    await retype(name, text);
    await press('Save');
    const field = (await box(name)).closest<HTMLElement>('[data-field]')!;
    expect((await within(field).findByRole('alert')).textContent).toBe(en);
    expect(document.activeElement).toBe(shownBox(name));
    act(() => setLanguage('zh'));
    await within(field).findByText(zh);
    expect(puts).toEqual([]);
  });

  test('what only the broker finds wrong is said beside the field too', async () => {
    refusal = json(
      {
        code: 'BAD_REQUEST',
        message: JSON.stringify({
          kind: 'validation_error',
          path: 'mqtt.client_attrs_init.1.expression',
          reason: 'not today',
        }),
      },
      400,
    );
    show(MqttGeneralPage);
    await retype('Max topic levels', '7');
    await press('Add attribute');
    await fill(userEvent, shownBox('Expression 1'), 'username');
    await fill(userEvent, shownBox('Attribute 1'), 'who');
    await press('Save');
    await screen.findByText('The broker refused it: not today');
    expect(puts[0]!.body).toMatchObject({
      mqtt: { client_attrs_init: [{ expression: 'username', set_as_attr: 'who' }] },
    });
  });

  test('words stand for numbers: infinity, disabled, never', async () => {
    show(MqttGeneralPage);
    await box('Idle timeout');
    expect(choice('Unit of Server keepalive').selectedOptions[0]!.textContent).toBe('disabled');
    await userEvent.selectOptions(choice('Unit of Server keepalive'), 'seconds');
    await fill(userEvent, shownBox('Server keepalive'), '65536');
    await press('Save');
    await screen.findByText('Fill in the error: the number range is 1 - 65535');
    await retype('Server keepalive', '60');
    await userEvent.selectOptions(choice('Unit of Idle timeout'), 'infinity');
    await press('Save');
    await saved();
    expect(puts[0]!.body).toMatchObject({ mqtt: { idle_timeout: 'infinity', server_keepalive: 60 } });
  });

  test('an expression that cannot be understood is refused, and none is disabled', async () => {
    show(MqttGeneralPage);
    await box('Idle timeout');
    await userEvent.selectOptions(choice('Client ID by expression'), 'By expression');
    await press('Save');
    await screen.findByText('Expression is required');
    await fill(userEvent, shownBox('Expression'), 'nonsense(');
    await screen.findByText('Not an expression that the broker understands');
    await retype('Expression', 'username');
    await press('Save');
    await saved();
    expect(puts[0]!.body).toMatchObject({ mqtt: { clientid_override: 'username' } });
    await userEvent.selectOptions(choice('Client ID by expression'), 'Disabled');
    await press('Save');
    await saved();
    expect(puts[1]!.body).toMatchObject({ mqtt: { clientid_override: 'disabled' } });
  });

  test('go back to their defaults', async () => {
    global.mqtt.max_topic_levels = 7;
    show(MqttGeneralPage);
    await box('Idle timeout');
    await press('Max topic levels: Restore the default 128');
    await press('Save');
    await saved();
    expect(puts[0]!.body).toMatchObject({ mqtt: { max_topic_levels: 128 } });
  });

  test('of a broker without zones have no tabs, and keys that it does not know no field', async () => {
    zones = undefined;
    const { keepalive_check_interval: _, ...mqtt } = global.mqtt;
    global.mqtt = mqtt;
    show(MqttGeneralPage);
    await retype('Max topic levels', '7');
    expect(screen.queryByRole('tab')).toBeNull();
    expect(screen.queryByRole('button', { name: 'New zone' })).toBeNull();
    expect(screen.queryByRole('textbox', { name: 'Keepalive check interval' })).toBeNull();
    await press('Save');
    await saved();
    expect(puts[0]!.body).toEqual({ ...standards(), mqtt: { ...mqtt, max_topic_levels: 7 } });
  });
});

test('zones that cannot be loaded leave what is global to be edited', async () => {
  broken = true;
  zones = { hall: {} };
  show(MqttGeneralPage, '/here?zone=hall');
  await screen.findByText(/^The zones could not be loaded: 500 INTERNAL_ERROR:no quorum/);
  await retype('Max topic levels', '7');
  await press('Save');
  await saved();
  expect(puts.map(({ path }) => path)).toEqual(['/configs/global_zone']);
  broken = false;
  await press('Try again');
  await screen.findByRole('tab', { name: 'hall', selected: true });
});

test('a broker without force_shutdown has no heading for it', async () => {
  show(MqttSessionPage);
  await screen.findByRole('heading', { name: 'Protection of the broker' });
  closePage();
  const { force_shutdown: _, ...older } = global;
  global = older as typeof global;
  show(MqttSessionPage);
  await box('Inflight window');
  expect(screen.queryByRole('heading', { name: 'Protection of the broker' })).toBeNull();
});

describe('topic priorities', () => {
  test('are a table; what is wrong with a row stands below it', async () => {
    show(MqttSessionPage);
    await box('Inflight window');
    await userEvent.selectOptions(choice('Topic priorities'), 'By topic');
    await press('Save');
    await screen.findByText('Topic is required');
    await fill(userEvent, shownBox('Topic 1'), 'a/+');
    await screen.findByText('A topic without wildcards');
    await retype('Topic 1', 'a/b');
    await screen.findByText('Priority is required');
    await fill(userEvent, shownBox('Priority 1'), '256');
    await screen.findByText('Fill in the error: the number range is 1 - 255');
    await retype('Priority 1', '255');
    await press('Add topic');
    await waitFor(() => expect(document.activeElement).toBe(shownBox('Topic 2')));
    await userEvent.keyboard('a/b');
    await userEvent.type(shownBox('Priority 2'), '1');
    await screen.findByText('The topic a/b occurs twice');
    expect(shownBox('Topic 2').getAttribute('aria-invalid')).toBe('true');
    await userEvent.type(shownBox('Topic 2'), '2');
    await press('Save');
    await saved();
    expect(puts[0]!.body).toMatchObject({ mqtt: { mqueue_priorities: { 'a/b': 255, 'a/b2': 1 } } });
    await press('Remove a/b2');
    await press('Save');
    await saved();
    expect(puts[1]!.body).toMatchObject({ mqtt: { mqueue_priorities: { 'a/b': 255 } } });
    await userEvent.selectOptions(choice('Topic priorities'), 'Disabled: in order of arrival');
    await press('Save');
    await saved();
    expect(puts[2]!.body).toMatchObject({ mqtt: { mqueue_priorities: 'disabled' } });
  });

  test('can be typed as JSON', async () => {
    global.mqtt.mqueue_priorities = { t: 3 };
    show(MqttSessionPage);
    await box('Topic 1');
    await userEvent.selectOptions(choice('Topic priorities'), 'By topic, as JSON');
    const raw = shownBox('By topic, as JSON');
    expect(raw.value).toBe('{\n  "t": 3\n}');
    await userEvent.clear(raw);
    await userEvent.click(raw);
    await userEvent.paste('{"t": 3, "u": ');
    await press('Save');
    await screen.findByText('Not a JSON object of topics and whole numbers');
    await userEvent.click(shownBox('By topic, as JSON'));
    await userEvent.paste('300}');
    await screen.findByText('Fill in the error: the number range is 1 - 255');
    await userEvent.clear(shownBox('By topic, as JSON'));
    await userEvent.click(shownBox('By topic, as JSON'));
    await userEvent.paste('{"u": 30}');
    await press('Save');
    await saved();
    expect(puts[0]!.body).toMatchObject({ mqtt: { mqueue_priorities: { u: 30 } } });
    await userEvent.selectOptions(choice('Topic priorities'), 'By topic');
    expect(shownBox('Topic 1').value).toBe('u');
  });
});

describe('a zone', () => {
  beforeEach(() => {
    zones = { sensors: { mqtt: { max_inflight: 5 }, flapping_detect: { enable: true } }, hall: {} };
  });

  test('has a tab and an address; each field says where its value comes from', async () => {
    const history = show(MqttSessionPage);
    await box('Inflight window');
    expect(tabNames()).toEqual(['Global', 'hall', 'sensors']);
    expect(screen.queryByText('Inherited from global')).toBeNull();
    await userEvent.click(screen.getByRole('tab', { name: 'sensors' }));
    await screen.findByText('Own value');
    expect(history.location.search).toBe('?zone=sensors');
    expect(shownBox('Inflight window').value).toBe('5');
    screen.getByRole('button', { name: 'Inflight window: Reset to inherited: 32' });
    expect(screen.getAllByText('Inherited from global').length).toBe(SESSION_KEYS.length - 1 + 3);
    // Defaults are those of the global settings, not of a zone.
    expect(screen.queryByRole('button', { name: 'Restore defaults' })).toBeNull();
    cleanup();
    show(MqttSessionPage, '/here?zone=sensors');
    await screen.findByText('Own value');
    cleanup();
    show(MqttSessionPage, '/here?zone=attic');
    await screen.findByText('There is no zone attic any more.');
    expect(screen.getByRole('tab', { name: 'Global' }).getAttribute('aria-selected')).toBe('true');
  });

  test('keeps only what differs, and leaves other zones and parts alone', async () => {
    show(MqttSessionPage, '/here?zone=sensors');
    await retype('Queue length', '10');
    await userEvent.selectOptions(choice('Unit of Retry interval'), 'seconds');
    await userEvent.type(shownBox('Retry interval'), '30');
    zones!.hall = { mqtt: { upgrade_qos: true } };
    await press('Save');
    await saved();
    expect(zones).toEqual({
      hall: { mqtt: { upgrade_qos: true } },
      sensors: {
        mqtt: { max_inflight: 5, max_mqueue_len: 10, retry_interval: '30s' },
        flapping_detect: { enable: true },
      },
    });
    await press('Inflight window: Reset to inherited: 32');
    await press('Retry interval: Reset to inherited: infinity');
    await press('Save');
    await saved();
    expect(zones!.sensors).toEqual({ mqtt: { max_mqueue_len: 10 }, flapping_detect: { enable: true } });
    expect(shownBox('Inflight window').value).toBe('32');
  });

  test('that inherits goes with what is global, and is not pinned by a save', async () => {
    show(MqttSessionPage, '/here?zone=hall');
    await retype('Queue length', '10');
    global.mqtt.max_inflight = 64;
    await press('Save');
    await saved();
    expect(zones!.hall).toEqual({ mqtt: { max_mqueue_len: 10 } });
  });

  test('deleted by somebody else meanwhile is not made again by a save', async () => {
    show(MqttSessionPage, '/here?zone=hall');
    await retype('Queue length', '10');
    delete zones!.hall;
    await press('Save');
    await screen.findByText(/Somebody else has changed or deleted it meanwhile/);
    expect(puts).toEqual([]);
  });

  test('is left with something typed only after a question', async () => {
    show(MqttSessionPage);
    await retype('Queue length', '10');
    await userEvent.click(screen.getByRole('tab', { name: 'hall' }));
    await userEvent.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Cancel' }));
    expect(shownBox('Queue length').value).toBe('10');
    await userEvent.click(screen.getByRole('tab', { name: 'hall' }));
    await userEvent.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Leave' }));
    await screen.findAllByText('Inherited from global');
    expect(shownBox('Queue length').value).toBe('1000');
  });

  test('is made under a new name, with nothing of its own or as a copy', async () => {
    const history = show(MqttSessionPage);
    await box('Inflight window');
    await press('New zone');
    const dialog = within(await screen.findByRole('dialog', { name: 'New zone' }));
    const name = dialog.getByRole('textbox');
    await userEvent.click(dialog.getByRole('button', { name: 'Create' }));
    await dialog.findByText('Zone name is required');
    await fill(userEvent, name, 'hall');
    await dialog.findByText('Zone name already exists');
    await userEvent.type(name, ' 2');
    await dialog.findByText('Invalid zone name');
    await fill(userEvent, name, ' attic ');
    await userEvent.click(dialog.getByRole('button', { name: 'Create' }));
    await screen.findByRole('tab', { name: 'attic', selected: true });
    expect(history.location.search).toBe('?zone=attic');
    expect(zones!.attic).toEqual({});

    await userEvent.click(screen.getByRole('tab', { name: 'sensors' }));
    await screen.findByText('Own value');
    await press('Duplicate');
    const copy = within(await screen.findByRole('dialog', { name: 'New zone' }));
    expect((copy.getByRole('textbox') as HTMLInputElement).value).toBe('sensors_duplication');
    await userEvent.click(copy.getByRole('button', { name: 'Create' }));
    await screen.findByRole('tab', { name: 'sensors_duplication', selected: true });
    expect(zones!.sensors_duplication).toEqual(zones!.sensors);
    await screen.findByText('Own value');
  });

  test('whose name somebody else has taken meanwhile is not overwritten', async () => {
    show(MqttSessionPage);
    await box('Inflight window');
    await press('New zone');
    const dialog = within(await screen.findByRole('dialog', { name: 'New zone' }));
    await fill(userEvent, dialog.getByRole('textbox'), 'attic');
    zones!.attic = { mqtt: { max_inflight: 1 } };
    await userEvent.click(dialog.getByRole('button', { name: 'Create' }));
    await dialog.findByText('Zone name already exists');
    expect(puts).toEqual([]);
  });

  test('is deleted after a question that says who uses it', async () => {
    listeners = [
      { id: 'tcp:default', zone: 'sensors', connections: 3 },
      { id: 'ws:default', zone: 'sensors', connections: 1 },
      { id: 'ssl:default', zone: 'default', connections: 7 },
    ];
    show(MqttSessionPage, '/here?zone=sensors');
    await screen.findByText('Own value');
    await press('Delete');
    let dialog = within(await screen.findByRole('dialog', { name: /Delete the zone sensors/ }));
    dialog.getByText(/^2 listeners use it \(tcp:default, ws:default\), with 4 connections\./);
    await userEvent.click(dialog.getByRole('button', { name: 'Cancel' }));
    expect(puts).toEqual([]);
    listeners = undefined;
    await press('Delete');
    dialog = within(await screen.findByRole('dialog', { name: /Delete the zone sensors/ }));
    dialog.getByText(/^Which listeners use it could not be found out\./);
    await userEvent.click(dialog.getByRole('button', { name: 'Delete' }));
    await waitFor(() => expect(tabNames()).toEqual(['Global', 'hall']));
    expect(zones).toEqual({ hall: {} });
    await waitFor(() => expect(screen.getByRole('tab', { name: 'Global', selected: true })).toBeTruthy());
    expect(screen.queryByText(/There is no zone/)).toBeNull();
  });
});
