import { screen } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import { json } from '../../testing/answers.ts';
import { brokerBehindFetch } from '../../testing/broker-behind-fetch.ts';
import { openPages } from '../../testing/open-pages.tsx';
import { ClientPage } from './ClientPage.tsx';
import { NotHere } from './NotHere.tsx';

const AT = '2026-01-01T00:00:00.000+00:00';
let gateway: string | undefined;
beforeEach(() => {
  gateway = 'lwm2m';
});
brokerBehindFetch(({ path }) => {
  const of = gateway === undefined ? {} : { gateway };
  if (path === '/client_events')
    return json({
      data: [{ clientid: 'lamp', connected: true, last_type: 'connected', last_at: AT, ...of }],
    });
  if (path !== '/clients/lamp/events')
    return json({ code: 'CLIENTID_NOT_FOUND', message: 'Client ID not found' }, 404);
  const connected = { id: 1, type: 'connected', at: AT, proto_name: 'LwM2M', proto_ver: '1.0' };
  return json({ data: [connected], meta: { connected: true, forgotten: 0, since: AT, ...of } });
});
const show = () => openPages({ '/connections/$clientid': ClientPage }, '/connections/lamp');

test('the page of a client that is the device of a gateway leads to its connections', async () => {
  show();
  const link = await screen.findByRole('link', { name: 'lamp at the gateway LwM2M' });
  expect(link.getAttribute('href')).toBe('/gateway/detail/lwm2m/connections?client=lamp');
  expect(screen.getByText('A device of the gateway LwM2M')).toBeTruthy();
  expect(screen.queryByText('The client does not exist')).toBeNull();
  expect(await screen.findByText(/LwM2M 1\.0/)).toBeTruthy();
});

test('one that nobody knows is said not to exist', async () => {
  gateway = undefined;
  show();
  expect(await screen.findByText('The client does not exist')).toBeTruthy();
  expect(screen.queryByRole('link', { name: /at the gateway/ })).toBeNull();
});

test('an empty list names the gateway of a device that was looked for', async () => {
  openPages({ '/': () => <NotHere clientid="lam" onClear={() => undefined} /> }, '/');
  const link = await screen.findByRole('link', { name: 'lamp at the gateway LwM2M' });
  expect(link.getAttribute('href')).toBe('/gateway/detail/lwm2m/connections?client=lamp');
  expect(screen.getByRole('link', { name: 'What happened to lamp' })).toBeTruthy();
});
