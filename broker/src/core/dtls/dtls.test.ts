import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { describeWith } from '../../testing/engines/engine.ts';
import { OPENSSL_PROGRAMS, runSecureClient, type SecureClient } from '../../testing/engines/openssl.ts';
import { isFull } from '../../testing/extent.ts';
import type { Log } from '../core.ts';
import type { KeyPair } from '../listeners/certificates.ts';
import { Clock, TimerWheel } from '../timer-wheel.ts';
import { type DtlsPolicy, usualDtls } from './policy.ts';
import { readRecords } from './records.ts';
import { DtlsServer, type SecureLink } from './server.ts';

const folder = mkdtempSync(join(tmpdir(), 'mqdeck-dtls-'));
const ends: (() => unknown)[] = [];
let ec: KeyPair;
let rsa: KeyPair;

interface Made {
  ca?: KeyPair;
  isCa?: boolean;
  keyType?: 'ec' | 'rsa';
  usage?: 'serverAuth' | 'clientAuth';
  days?: number;
}
const DAY_MS = 24 * 3600 * 1000;

async function make(
  name: string,
  { ca, isCa = false, keyType = 'ec', usage, days = 30 }: Made = {},
): Promise<KeyPair> {
  const { cert, private: key } = await generate([{ name: 'commonName', value: name }], {
    keyType,
    ...(keyType === 'ec' ? { curve: 'P-256' as const } : { keySize: 2048 }),
    algorithm: 'sha256',
    notBeforeDate: new Date(Date.now() - 60 * DAY_MS),
    notAfterDate: new Date(Date.now() + days * DAY_MS),
    extensions: [
      { name: 'basicConstraints', cA: isCa, critical: true },
      ...(usage ? [{ name: 'extKeyUsage' as const, [usage]: true }] : []),
    ],
    ...(ca && { ca }),
  });
  return { cert, key };
}

beforeAll(async () => {
  ec = await make('ec.example');
  rsa = await make('rsa.example', { keyType: 'rsa' });
  return () => rmSync(folder, { recursive: true });
});
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

async function bound(): Promise<Socket> {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  ends.push(() => new Promise<void>((resolve) => socket.close(() => resolve())));
  return socket;
}

/** A server that says everything again in capitals, and keeps what happened. */
async function startEcho(pair: KeyPair, policy: Partial<DtlsPolicy> = {}) {
  const clock = new Clock();
  const timers = new TimerWheel(clock, (cause) => {
    throw cause;
  });
  timers.start();
  ends.push(() => timers.stop());
  const socket = await bound();
  const happened: string[] = [];
  const links: SecureLink[] = [];
  const faults: string[] = [];
  const quiet = () => undefined;
  const log: Log = {
    debug: (facts) => faults.push((facts as { reason: string }).reason),
    info: quiet,
    warn: quiet,
    error: quiet,
  };
  const server = new DtlsServer(
    {
      clock,
      timers,
      log,
      transmit: (datagram, { port, address }) => socket.send(datagram, port, address),
      admits: () => true,
      accept: (link: SecureLink) => {
        links.push(link);
        happened.push(`open ${link.certificate?.subject ?? ''}`.trim());
        return {
          onBytes: (bytes) => {
            happened.push(bytes.toString().trim());
            link.send(Buffer.from(bytes.toString().toUpperCase()));
          },
          onClose: () => happened.push('close'),
        };
      },
    },
    pair,
    { ...usualDtls, ...policy },
  );
  const take = (datagram: Buffer, { address, port }: { address: string; port: number }) =>
    server.receive(datagram, { key: `${address} ${port}`, address, port });
  socket.on('message', take);
  return { server, port: socket.address().port, happened, links, faults, take, socket };
}

function client(port: number, args: string[] = [], env: Record<string, string> = {}): SecureClient {
  const started = runSecureClient(port, args, env);
  ends.push(() => started.stop());
  return started;
}

/** Between a client and a server: what `treat` answers goes on, in that order. */
async function startNetwork(port: number, treat: (datagram: Buffer, to: 'server' | 'client') => Buffer[]) {
  const front = await bound();
  const back = await bound();
  let clientPort = 0;
  front.on('message', (datagram, from) => {
    clientPort = from.port;
    for (const one of treat(datagram, 'server')) back.send(one, port, '127.0.0.1');
  });
  back.on('message', (datagram) => {
    for (const one of treat(datagram, 'client')) front.send(one, clientPort, '127.0.0.1');
  });
  return front.address().port;
}

/** One protocol with the other maker's client: it speaks, and hears the answer. */
async function converse(port: number, ...args: string[]): Promise<SecureClient> {
  const one = client(port, args);
  one.write('hello');
  await one.shows('HELLO');
  return one;
}

describeWith('DTLS 1.2 with OpenSSL', OPENSSL_PROGRAMS, () => {
  test.each([
    ['ECDHE-ECDSA-AES128-GCM-SHA256', 'ec'],
    ['ECDHE-ECDSA-AES256-GCM-SHA384', 'ec'],
    ['ECDHE-ECDSA-CHACHA20-POLY1305', 'ec'],
    ['ECDHE-ECDSA-AES128-CCM', 'ec'],
    ['ECDHE-ECDSA-AES128-CCM8', 'ec'],
    ['ECDHE-RSA-AES128-GCM-SHA256', 'rsa'],
    ['ECDHE-RSA-AES256-GCM-SHA384', 'rsa'],
    ['ECDHE-RSA-CHACHA20-POLY1305', 'rsa'],
  ] as const)('%s', async (cipher, kind) => {
    const pair = kind === 'ec' ? ec : rsa;
    const { port, happened } = await startEcho(pair);
    const trusted = ['-CAfile', file(`${kind}.pem`, pair.cert), '-verify_return_error'];
    const one = await converse(port, '-cipher', `${cipher}:@SECLEVEL=0`, ...trusted);
    await one.shows(`Cipher is ${cipher}`);
    await one.shows('Extended master secret: yes');
    one.write('again');
    await one.shows('AGAIN');
    one.end();
    await expect.poll(() => happened).toEqual(['open', 'hello', 'again', 'close']);
  });

  test.each(['X25519', 'P-256', 'P-384'])('keys are agreed on in %s', async (group) => {
    const { port } = await startEcho(rsa);
    await converse(port, '-curves', group);
  });

  test.each(['RSA+SHA256', 'RSA-PSS+SHA384', 'RSA+SHA512'])('the server signs with %s', async (scheme) => {
    const { port } = await startEcho(rsa);
    await converse(port, '-sigalgs', scheme);
  });

  test('a client without the extended master secret comes in too', async () => {
    const { port } = await startEcho(ec);
    const lines = [
      'openssl_conf = all',
      '[all]',
      'ssl_conf = ssl',
      '[ssl]',
      'system_default = defaults',
      '[defaults]',
      'Options = -ExtendedMasterSecret',
    ];
    const one = client(port, [], { OPENSSL_CONF: file('no-ems.cnf', `${lines.join('\n')}\n`) });
    one.write('hello');
    await one.shows('HELLO');
    await one.shows('Extended master secret: no');
  });

  test('a client with nothing in common is told so, and nothing is kept of it', async () => {
    const { port, happened, faults } = await startEcho(ec);
    const one = client(port, ['-cipher', 'ECDHE-RSA-AES128-GCM-SHA256']);
    expect(await one.ended).toContain('alert handshake failure');
    expect(faults).toEqual(['nothing in common with the client']);
    expect(happened).toEqual([]);
  });

  test('the operator chooses the ciphers, and whose order counts', async () => {
    const wanted = ['ECDHE-ECDSA-CHACHA20-POLY1305', 'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256'];
    const offered = ['-cipher', 'ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-ECDSA-CHACHA20-POLY1305'];
    const ours = await startEcho(ec, { ciphers: wanted });
    await (await converse(ours.port, ...offered)).shows('Cipher is ECDHE-ECDSA-CHACHA20-POLY1305');
    const theirs = await startEcho(ec, { ciphers: wanted, honorCipherOrder: false });
    await (await converse(theirs.port, ...offered)).shows('Cipher is ECDHE-ECDSA-AES128-GCM-SHA256');
    await expect(startEcho(rsa, { ciphers: wanted })).rejects.toThrow('DTLS has none of these ciphers');
  });

  test('the server ends an association, and the client hears it', async () => {
    const { port, links, happened } = await startEcho(ec);
    const one = await converse(port);
    links[0]!.end();
    expect(await one.ended).toContain('HELLO');
    expect(happened).toEqual(['open', 'hello', 'close']);
  });

  test('nothing is negotiated anew', async () => {
    const { port, happened } = await startEcho(ec);
    const one = await converse(port);
    one.write('R'); // OpenSSL's client begins a renegotiation
    await one.shows('RENEGOTIATING');
    await one.ended; // it insists
    expect(happened.filter((what) => what === 'open')).toHaveLength(1);
  });
});

describeWith('certificates of clients, shown by OpenSSL', OPENSSL_PROGRAMS, () => {
  async function show(port: number, pair: KeyPair, chain: KeyPair[] = []): Promise<SecureClient> {
    const more =
      chain.length === 0 ? [] : ['-cert_chain', file('chain.pem', chain.map(({ cert }) => cert).join('\n'))];
    return client(port, [
      '-cert',
      file('client.pem', pair.cert),
      '-key',
      file('client.key', pair.key),
      ...more,
    ]);
  }

  test.each(['ec', 'rsa'] as const)(
    'one of a trusted issuer is who the client is, with a key of %s',
    async (keyType) => {
      const ca = await make('ca', { isCa: true, keyType });
      const device = await make('device-7', { ca, keyType, usage: 'clientAuth' });
      const { port, happened, links } = await startEcho(ec, {
        peers: { ca: ca.cert, required: true, depth: 1 },
      });
      const one = await show(port, device);
      one.write('hello');
      await one.shows('HELLO');
      expect(happened).toEqual(['open CN=device-7', 'hello']);
      expect(links[0]!.certificate).toMatchObject({ commonName: 'device-7' });
    },
  );

  test('issuers in between are counted', async () => {
    const ca = await make('ca', { isCa: true });
    const between = await make('between', { ca, isCa: true });
    const device = await make('device-7', { ca: between });
    const near = await startEcho(ec, { peers: { ca: ca.cert, required: true, depth: 1 } });
    const one = await show(near.port, device, [between]);
    one.write('hello');
    await one.shows('HELLO');
    const far = await startEcho(ec, { peers: { ca: ca.cert, required: true, depth: 0 } });
    expect(await (await show(far.port, device, [between])).ended).toContain('alert unknown ca');
    expect(far.faults).toEqual(['the certificate is too far from a trusted one']);
  });

  test.each<[string, () => Promise<{ trusted: KeyPair; device: KeyPair }>, string]>([
    [
      'of an unknown issuer',
      async () => ({
        trusted: await make('ca', { isCa: true }),
        device: await make('device-7', { ca: await make('ca', { isCa: true }) }),
      }),
      'alert unknown ca',
    ],
    [
      'that its owner has signed',
      async () => ({ trusted: await make('ca', { isCa: true }), device: await make('device-7') }),
      'alert unknown ca',
    ],
    [
      'whose issuer is no authority',
      async () => {
        const trusted = await make('device-6');
        return { trusted, device: await make('device-7', { ca: trusted }) };
      },
      'alert unknown ca',
    ],
    [
      'whose time is over',
      async () => {
        const trusted = await make('ca', { isCa: true });
        return { trusted, device: await make('device-7', { ca: trusted, days: -1 }) };
      },
      'alert certificate expired',
    ],
    [
      'for servers',
      async () => {
        const trusted = await make('ca', { isCa: true });
        return { trusted, device: await make('device-7', { ca: trusted, usage: 'serverAuth' }) };
      },
      'alert unsupported certificate',
    ],
  ])('one %s is refused', async (_, given, alert) => {
    const { trusted, device } = await given();
    const { port, happened } = await startEcho(ec, {
      peers: { ca: trusted.cert, required: false, depth: 5 },
    });
    expect(await (await show(port, device)).ended).toContain(alert);
    expect(happened).toEqual([]);
  });

  test('who shows none comes in where none is required', async () => {
    const ca = await make('ca', { isCa: true });
    const open = await startEcho(ec, { peers: { ca: ca.cert, required: false, depth: 1 } });
    await converse(open.port);
    const closed = await startEcho(ec, { peers: { ca: ca.cert, required: true, depth: 1 } });
    expect(await client(closed.port).ended).toContain('alert handshake failure');
  });
});

describeWith('DTLS over a bad network with OpenSSL', OPENSSL_PROGRAMS, () => {
  /** Of the datagrams that the server sends in a handshake: ServerHello, and ChangeCipherSpec with Finished. */
  const OF_SERVER = ['client 22 2', 'client 20 1'];
  /** The first of each kind is lost: in full each flight of either side, which OpenSSL repeats later each time. */
  const isLost = (kind: string) => isFull || OF_SERVER.includes(kind);

  test('what is lost is sent again', async () => {
    const { port, happened } = await startEcho(ec);
    const seen = new Set<string>();
    const network = await startNetwork(port, (datagram, to) => {
      const kind = `${to} ${datagram[0]} ${datagram[13]}`;
      if (seen.has(kind) || datagram[0] === 23 || !isLost(kind)) return [datagram];
      seen.add(kind);
      return [];
    });
    await converse(network);
    expect(seen.size).toBeGreaterThanOrEqual(isFull ? 5 : OF_SERVER.length);
    expect(happened).toEqual(['open', 'hello']);
  }, 60_000);

  test('what comes twice counts once', async () => {
    const { port, happened } = await startEcho(ec);
    const network = await startNetwork(port, (datagram) => [datagram, datagram]);
    const one = await converse(network);
    one.write('again');
    await one.shows('AGAIN');
    expect(happened).toEqual(['open', 'hello', 'again']);
  });

  test('what comes in small pieces is put together', async () => {
    const ca = await make('ca', { isCa: true, keyType: 'rsa' });
    const device = await make('device-7', { ca, keyType: 'rsa' });
    const { port, happened } = await startEcho(rsa, { peers: { ca: ca.cert, required: true, depth: 1 } });
    let last: Buffer | null = null;
    const network = await startNetwork(port, (datagram, to) => {
      if (to === 'client' || datagram[0] !== 22 || datagram[13] !== 11) return [datagram];
      // Each piece of the client's certificate changes places with the next one
      const before = last;
      last = before === null ? datagram : null;
      return before === null ? [] : [datagram, before];
    });
    const one = client(network, [
      ...['-cert', file('client.pem', device.cert), '-key', file('client.key', device.key)],
      ...['-mtu', '400'],
    ]);
    one.write('hello');
    await one.shows('HELLO');
    expect(happened).toEqual(['open CN=device-7', 'hello']);
  });

  test('a client that begins anew from the same address takes the place of itself', async () => {
    const { port, happened } = await startEcho(ec);
    const network = await startNetwork(port, (datagram) => [datagram]);
    const first = await converse(network);
    const stopped = first.stop(); // without a word
    await stopped;
    const second = client(network);
    second.write('me again');
    await second.shows('ME AGAIN');
    expect(happened).toEqual(['open', 'hello', 'close', 'open', 'me again']);
  });

  test('a handshake that nobody goes on with ends', async () => {
    const { port, faults, happened } = await startEcho(ec, { handshakeTimeoutMs: 300 });
    const network = await startNetwork(port, (datagram, to) =>
      to === 'client' && datagram[13] !== 3 ? [] : [datagram],
    );
    client(network);
    await expect.poll(() => faults).toContain('the handshake takes too long');
    expect(happened).toEqual([]);
  });

  test('changed and invented datagrams disturb nobody', async () => {
    const { port, happened, take } = await startEcho(ec);
    const recorded: Buffer[] = [];
    let from = { address: '', port: 0 };
    const network = await startNetwork(port, (datagram, to) => {
      if (to === 'server') recorded.push(Buffer.from(datagram));
      return [datagram];
    });
    const one = await converse(network);
    let seed = 7;
    const random = (below: number) => {
      seed = (seed * 48_271) % 0x7fff_ffff;
      return seed % below;
    };
    for (let round = 0; round < 4000; round++) {
      const datagram = Buffer.from(recorded[random(recorded.length)]!);
      for (let changes = random(4); changes > 0; changes--) datagram[random(datagram.length)] = random(256);
      from = { address: '127.0.0.1', port: 1 + random(3) };
      take(round % 7 === 0 ? datagram.subarray(0, random(datagram.length)) : datagram, from);
    }
    one.write('still here');
    await one.shows('STILL HERE');
    expect(happened).toEqual(['open', 'hello', 'still here']);
  });
});

describeWith('cookies', OPENSSL_PROGRAMS, () => {
  test('nothing is kept of a client that has not shown that it is where it says', async () => {
    const { port, happened, faults, take } = await startEcho(ec, { handshakeTimeoutMs: 200 });
    const hellos: Buffer[] = [];
    const answers: Buffer[] = [];
    const network = await startNetwork(port, (datagram, to) => {
      (to === 'server' ? hellos : answers).push(Buffer.from(datagram));
      return to === 'server' && hellos.length > 1 ? [] : [datagram];
    });
    client(network);
    await expect.poll(() => hellos.length).toBeGreaterThan(1);
    const [first, second] = [hellos[0]!, hellos[1]!];
    expect(readRecords(answers[0]!)[0]!.fragment[0]).toBe(3); // HelloVerifyRequest
    expect(answers[0]!.length).toBeLessThan(first.length); // nobody is hit harder than they hit
    // A cookie is for one address
    const elsewhere = await bound();
    const got = once(elsewhere, 'message');
    take(second, { address: '127.0.0.1', port: elsewhere.address().port });
    const [answer] = (await got) as [Buffer];
    expect(readRecords(answer)[0]!.fragment[0]).toBe(3);
    expect([happened, faults]).toEqual([[], []]);
  });
});
