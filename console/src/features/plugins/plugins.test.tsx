import type { Plugin } from '@mqdeck/contract/plugins';
import { act, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, test, vi } from 'vitest';
import { setLanguage } from '../../i18n/language.ts';
import { Link } from '../../Link.tsx';
import { TableHostProvider } from '../../table/table-host.tsx';
import { json } from '../../testing/answers.ts';
import { brokerBehindFetch } from '../../testing/broker-behind-fetch.ts';
import { FakeXhr } from '../../testing/fake-xhr.ts';
import { openPages } from '../../testing/open-pages.tsx';
import { getToasts } from '../../ui/toast.ts';
import { useUrlState } from '../../url-state.ts';
import { configSchemaOf } from './config-schema.ts';
import { readReadme } from './markdown.ts';
import { PluginInstallPage } from './PluginInstallPage.tsx';
import { PluginPage } from './PluginPage.tsx';
import { PluginsPage } from './PluginsPage.tsx';
import { nodesOf, webAddress, worstOf } from './plugin-state.ts';
import { Readme } from './Readme.tsx';

const broker = brokerBehindFetch();

const open = (at: string) =>
  openPages(
    {
      '/plugins': PluginsPage,
      '/plugins/install': PluginInstallPage,
      '/plugins/detail/$plugin': PluginPage,
    },
    at,
    ({ children }) => (
      <TableHostProvider value={{ useState: useUrlState, Link }}>{children}</TableHostProvider>
    ),
  );

const plugin = (id: string, status = 'running', more: object = {}): Plugin => {
  const [name = '', rel_vsn = ''] = id.split('-');
  return { name, rel_vsn, running_status: [{ node: 'a@1', status }], ...more };
};

describe('a readme', () => {
  const shown = (text: string) => {
    const { container } = render(<Readme text={text} />);
    return container.firstElementChild!;
  };

  test('is headings, lists, code, emphasis, quotes and links', () => {
    const text = [
      '# Title',
      '',
      'Some *words*, **strong** and `code`.',
      '',
      '- one',
      '- two',
      '',
      '1. first',
      '',
      '> said',
      '',
      '```js',
      'const a = 1;',
      '```',
      '---',
      '[site](https://example.org/a "t")',
    ].join('\n');
    const root = shown(text);
    const names = [...root.children].map(({ tagName }) => tagName);
    expect(names).toEqual(['H3', 'P', 'UL', 'OL', 'BLOCKQUOTE', 'PRE', 'HR', 'P']);
    expect(root.querySelector('em')!.textContent).toBe('words');
    expect(root.querySelector('strong')!.textContent).toBe('strong');
    expect(root.querySelector('pre')!.textContent).toBe('const a = 1;');
    const link = root.querySelector('a')!;
    expect(link.getAttribute('href')).toBe('https://example.org/a');
    expect(link.getAttribute('rel')).toBe('noopener noreferrer');
  });

  test('shows markup as the letters it is, and asks for no picture', () => {
    const root = shown('<img src=x onerror=alert(1)> <script>alert(1)</script> ![logo](https://evil/x.png)');
    expect(root.querySelector('img, script, svg, iframe')).toBeNull();
    expect(root.textContent).toBe('<img src=x onerror=alert(1)> <script>alert(1)</script> logo');
  });

  test.each([
    'javascript:alert(1)',
    'JAVASCRIPT:alert`1`',
    'data:text/html,x',
    'vbscript:x',
    '//evil',
    '/plugins',
    'https:evil',
    'http://',
    '\u0001https://evil',
  ])('%j is no link', (target) => {
    const root = shown(`[click](${target})`);
    expect(root.querySelector('a')).toBeNull();
    expect(root.textContent).toContain('click');
    expect(webAddress(target)).toBeUndefined();
  });

  test.each(['*', '`', '[', '_', '**a', '![', '> ', '#', '- ', '<https://a', '[a](', '~~~'])(
    'of a hundred thousand %j is read in no time',
    (piece) => {
      const before = process.cpuUsage(); // not the clock: other processes take their share of it
      readReadme(piece.repeat(100_000 / piece.length));
      readReadme(`${piece}\n`.repeat(100_000 / (piece.length + 1)));
      expect(process.cpuUsage(before).user).toBeLessThan(5_000_000); // µs
    },
  );
});

describe('the state of a plugin', () => {
  const on = (...running_status: Plugin['running_status']) => plugin('a-1', '', { running_status });
  const bad = { status: 'error', message: 'why' };

  test('is the worst of its nodes', () => {
    expect(worstOf(on({ node: 'a', status: 'running' }, { node: 'b', status: 'running' }))).toBe('running');
    expect(worstOf(on({ node: 'a', status: 'stopped' }, { node: 'b', status: 'stopped' }))).toBe('stopped');
    expect(worstOf(on({ node: 'a', status: 'running' }, { node: 'b', status: 'stopped' }))).toBe(
      'inconsistent',
    );
    const failed = on({ node: 'a', status: 'running' }, { node: 'b', status: 'stopped', health_status: bad });
    expect(worstOf(failed)).toBe('error');
    expect(nodesOf(failed)[1]).toEqual({ node: 'b', is: 'error', reason: 'why' });
    expect(worstOf(on())).toBe('stopped');
    expect(worstOf(on({ node: 'a', status: 'loaded' }))).toBe('stopped');
  });

  test('that runs with a complaint is running', () => {
    expect(worstOf(on({ node: 'a', status: 'running', health_status: bad }))).toBe('running');
  });
});

describe('the list', () => {
  const three = [plugin('a-1'), plugin('b-1', 'stopped'), plugin('c-1')];

  test('that is narrowed moves a plugin beside one that is shown', async () => {
    const user = userEvent.setup();
    broker.answer = ({ method, path }) => {
      if (method === 'GET' && path === '/plugins') return json(three);
      return method === 'POST' ? new Response(null, { status: 200 }) : undefined;
    };
    open('/plugins?show=running');
    await screen.findByText('c');
    expect(screen.queryByText('b')).toBeNull();
    expect(screen.getByText('All (3)')).toBeTruthy();
    await user.click(screen.getByRole('button', { name: 'Actions for c-1' }));
    const top = await screen.findByRole('menuitem', { name: /Move to top/ });
    expect(top.getAttribute('aria-disabled') ?? top.getAttribute('data-disabled')).toBe('true');
    await user.click(screen.getByRole('menuitem', { name: 'Move up' }));
    await waitFor(() =>
      expect(broker.calls.find(({ method }) => method === 'POST')).toMatchObject({
        path: '/plugins/c-1/move',
        body: { position: 'before:a-1' },
      }),
    );
  });

  test('says when a plugin that was started does not run', async () => {
    const user = userEvent.setup();
    const failed = plugin('b-1', 'stopped', {
      running_status: [
        { node: 'a', status: 'stopped', health_status: { status: 'error', message: 'no luck' } },
      ],
    });
    let started = false;
    broker.answer = ({ method, path }) => {
      if (method === 'PUT') {
        started = true;
        return new Response(null, { status: 204 });
      }
      if (path === '/plugins/b-1') return json(failed);
      return path === '/plugins' ? json([started ? failed : plugin('b-1', 'stopped')]) : undefined;
    };
    open('/plugins');
    await user.click(await screen.findByRole('button', { name: 'Start b-1' }));
    await waitFor(() => expect(getToasts().map(({ text }) => text)).toEqual(['b-1 did not start: no luck']));
    await screen.findByText('Error');
    await user.click(screen.getByRole('button', { name: 'Actions for b-1' }));
    await screen.findByRole('menuitem', { name: 'Stop' });
  });
});

describe('installing', () => {
  const choose = async (name: string, size = 10) => {
    const input = await screen.findByLabelText(/Drop the package|Choose another/);
    fireEvent.change(input, { target: { files: [new File([new Uint8Array(size)], name)] } });
  };
  const press = () => fireEvent.click(screen.getByRole('button', { name: 'Install' }));

  test('in front of a cluster that must be told first, the command is shown', async () => {
    broker.answer = ({ path }) =>
      path === '/plugins/install' ? json({ code: 'FORBIDDEN', message: 'no' }, 403) : undefined;
    open('/plugins/install');
    await choose('demo-1.0.0.tar.gz');
    press();
    await screen.findByText('emqx ctl plugins allow demo-1.0.0');
    expect(screen.getByRole('alert').textContent).toContain('must be told first');
  });

  test('another version in front of a cluster must be uninstalled first; here it can be replaced', async () => {
    broker.answer = ({ path }) => {
      if (path === '/plugins/install') return json({ code: 'ALREADY_INSTALLED', message: 'x' }, 400);
      return path === '/plugins' ? json([plugin('demo-0.9.0')]) : undefined;
    };
    open('/plugins/install');
    await choose('demo-1.0.0.tar.gz');
    press();
    await screen.findByText(/Uninstall it first/);
    expect(screen.queryByRole('button', { name: 'Replace' })).toBeNull();
    expect(screen.getByRole('link', { name: 'Open demo-0.9.0' }).getAttribute('href')).toBe(
      '/plugins/detail/demo-0.9.0',
    );
  });

  test('a package shows how much of it has been sent, and can be cancelled until it has arrived', async () => {
    vi.stubGlobal('XMLHttpRequest', FakeXhr);
    open('/plugins/install');
    await choose('demo-1.0.0.tar.gz');
    press();
    await screen.findByText('Uploading demo-1.0.0.tar.gz');
    act(() => FakeXhr.all[0]!.progress(1024, 4096));
    const bar = screen.getByRole('progressbar', { name: 'Uploading demo-1.0.0.tar.gz' });
    expect(bar.getAttribute('value')).toBe('0.25');
    expect(bar.getAttribute('aria-valuetext')).toBe('25% · 1 KB of 4 KB');
    act(() => setLanguage('zh'));
    await screen.findByText('正在上传 demo-1.0.0.tar.gz');
    expect(bar.getAttribute('aria-valuetext')).toBe('25% · 已上传 1 KB，共 4 KB');
    act(() => setLanguage('en'));
    fireEvent.click(await screen.findByRole('button', { name: 'Cancel' }));
    await waitFor(() => expect(screen.queryByRole('progressbar')).toBeNull());
    expect(screen.queryByRole('alert')).toBeNull();

    press();
    await waitFor(() => expect(FakeXhr.all).toHaveLength(2));
    act(() => FakeXhr.all[1]!.progress(4096, 4096));
    await screen.findByRole('progressbar', { name: 'Installing demo-1.0.0.tar.gz' });
    expect(screen.queryByRole('button', { name: 'Cancel' })).toBeNull();
    await act(() => FakeXhr.all[1]!.answer(new Response(null, { status: 200 })));
    await waitFor(() => expect(getToasts().map(({ text }) => text)).toEqual(['demo-1.0.0 is installed']));
  });

  test.each([
    ['demo-1.0.0.zip', 10, 'must end with .tar.gz'],
    ['demo.tar.gz', 10, 'must be named name-version.tar.gz'],
    ['../x-1.tar.gz', 10, 'must be named name-version.tar.gz'],
    ['demo-1.0.0.tar.gz', 16 * 1024 ** 2 + 1, 'larger than 16 MB'],
  ])('%s of %i bytes is refused before it is sent', async (name, size, words) => {
    open('/plugins/install');
    await choose(name, size);
    expect((await screen.findByRole('alert')).textContent).toContain(words);
    press();
    expect(broker.calls.filter(({ method }) => method === 'POST')).toEqual([]);
  });
});

describe('the form of a configuration', () => {
  test('is made of the schema, in both languages', async () => {
    const schema = {
      type: 'object',
      properties: { word: { type: 'string', title: { en: 'Word', zh: '词' }, default: 'a' } },
    };
    broker.answer = ({ path }) => {
      if (path.endsWith('/schema')) return json({ avro: null, json: schema });
      if (path.endsWith('/config')) return json({ word: 'b' });
      return path === '/plugins/demo-1' ? json(plugin('demo-1')) : undefined;
    };
    open('/plugins/detail/demo-1?tab=settings');
    expect(((await screen.findByLabelText('Word')) as HTMLInputElement).value).toBe('b');
    setLanguage('zh');
    await screen.findByLabelText('词');
  });

  test('is made of a record of Avro too, where nothing in it is unknown', () => {
    const field = (name: string, type: unknown, more: object = {}) => ({ name, type, ...more });
    const avro = {
      type: 'record',
      name: 'Demo',
      fields: [
        field('hostname', 'string', { default: 'localhost', $ui: { label: '$host' } }),
        field('port', 'int', { default: 3306 }),
        field('on', 'boolean'),
        field('mode', { type: 'enum', name: 'M', symbols: ['a', 'b'] }),
        field('tags', { type: 'array', items: 'string' }, { default: [] }),
      ],
    };
    const read = configSchemaOf({ avro, i18n: { $host: { en: 'Host', zh: '主机' } } });
    expect(read?.properties).toEqual({
      hostname: { type: 'string', title: { en: 'Host', zh: '主机' }, default: 'localhost' },
      port: { type: 'integer', title: 'port', default: 3306 },
      on: { type: 'boolean', title: 'on' },
      mode: { type: 'string', enum: ['a', 'b'], title: 'mode' },
      tags: { type: 'array', items: { type: 'string' }, title: 'tags', default: [] },
    });
    const nested = { ...avro, fields: [...avro.fields, field('more', avro)] };
    expect(configSchemaOf({ avro: nested })).toBeUndefined();
    expect(configSchemaOf({ avro: null })).toBeUndefined();
  });
});

test('what a plugin has done since its start stands on its page', async () => {
  const metrics = {
    asked: 1200,
    told: 34,
    failed: 5,
    timed_out: 6,
    published: 78,
    ended: 2,
    restarted: 1,
    memory: 9 * 1024 ** 2,
    since: '2026-01-01T00:00:00.000+00:00',
    last_error: { at: '2026-01-01T00:01:00.000+00:00', reason: 'message.publish: no luck' },
  };
  broker.answer = ({ path }) =>
    path === '/plugins/demo-1' ? json(plugin('demo-1', 'running', { readme: '', metrics })) : undefined;
  open('/plugins/detail/demo-1');
  const shown = (await screen.findByText('Since it was started')).closest('section')!;
  for (const text of ['1,200', '34', '5', '6', '78', '2', '1', '9 MB'])
    expect(within(shown).getByText(text)).toBeTruthy();
  expect(shown.textContent).toContain('message.publish: no luck');
});

test('what a plugin says of itself is text, and its site a link only when it is of the web', async () => {
  broker.answer = ({ path }) =>
    path.startsWith('/plugins/demo-1')
      ? json(
          plugin('demo-1', 'running', {
            description: '<b>bold</b>',
            authors: ['<img src=x>'],
            builder: { website: 'javascript:alert(1)' },
            repo: 'data:text/html,x',
            readme: '',
          }),
        )
      : undefined;
  open('/plugins/detail/demo-1');
  await screen.findByText('<b>bold</b>');
  screen.getByText('<img src=x>');
  screen.getByText('data:text/html,x');
  expect(screen.queryByRole('link')).toBeNull();
  screen.getByText('The plugin brings no readme.');
});
