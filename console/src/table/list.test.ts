import { describe, expect, test, vi } from 'vitest';
import { runBulk } from './bulk.ts';
import { moveColumn, readChoice, toggleColumn, writeChoice } from './column-choice.ts';
import { columnsOf } from './columns.tsx';
import { csvCell, exportName, readAll, toCsv, toJson } from './export.ts';
import { joinList, localOf, momentOf, splitList } from './filters.ts';
import { filterBy, goTo, queryOf, readList, resize, sortBy, withoutFilters } from './list-state.ts';
import { matching, sorted } from './local-list.ts';
import { pageButtons, pageInstead, pagerOf } from './paging.ts';
import { choose, EVERYTHING, isSelected, NOTHING, pageState, range, selectedCount } from './selection.ts';
import { applyChanges, prefixed } from './table-state.ts';

const live = () => new AbortController().signal;

describe('the state of a list in the URL', () => {
  const shape = { filters: ['like_clientid', 'node'], sorts: ['clientid'] };

  test('an empty URL is the first page of 50, unsorted', () => {
    expect(readList({}, shape)).toEqual({ page: 1, limit: 50, order: 'asc', filters: {} });
  });

  test('page, size, order and filters are read back', () => {
    const values = { page: '3', limit: '100', sort: 'clientid', order: 'desc', node: ['a', 'b'], tab: 'x' };
    expect(readList(values, shape)).toEqual({
      page: 3,
      limit: 100,
      sort: 'clientid',
      order: 'desc',
      filters: { node: ['a', 'b'] },
    });
  });

  test.each([['0'], ['-1'], ['1e3'], ['0x10'], ['１'], ['abc'], ['']])(
    'a mangled page or size %s gives the defaults',
    (bad) => {
      expect(readList({ page: bad, limit: bad, sort: 'nonsense', order: 'up' }, shape)).toEqual({
        page: 1,
        limit: 50,
        order: 'asc',
        filters: {},
      });
    },
  );

  test('the query holds what the server needs and nothing empty', () => {
    const list = readList({ like_clientid: 'a b&c', page: '2' }, shape);
    expect(queryOf(list)).toEqual({ like_clientid: 'a b&c', page: 2, limit: 50 });
  });

  test('a new filter, size or order shows the first page', () => {
    expect(filterBy({ node: 'x' })).toEqual({ node: 'x', page: undefined });
    expect(resize(100)).toEqual({ limit: '100', page: undefined });
    expect(resize(50)).toEqual({ limit: undefined, page: undefined });
    expect(goTo(1)).toEqual({ page: undefined });
    expect(withoutFilters(['a'])).toEqual({ a: undefined, page: undefined });
  });

  test('a head pressed three times sorts up, down and not at all', () => {
    const none = readList({}, shape);
    const up = readList(applyChanges({}, sortBy('clientid', none)) as never, shape);
    expect(up).toMatchObject({ sort: 'clientid', order: 'asc' });
    const down = readList(applyChanges({}, sortBy('clientid', up)) as never, shape);
    expect(down).toMatchObject({ sort: 'clientid', order: 'desc' });
    expect(sortBy('clientid', down)).toEqual({ sort: undefined, order: undefined, page: undefined });
  });

  test('two lists on a page keep apart by their prefix', () => {
    const set = vi.fn();
    const state = prefixed({ values: { 'a.page': '2', page: '9' }, set }, 'a.');
    expect(state.values).toEqual({ page: '2' });
    state.set({ page: '3' }, 'push');
    expect(set).toHaveBeenCalledWith({ 'a.page': '3' }, 'push');
  });

  test('a moment of a filter keeps its time through the URL', () => {
    const moment = momentOf('2026-03-01T10:20');
    expect(moment).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(localOf(moment!)).toBe('2026-03-01T10:20');
    expect(momentOf('')).toBeUndefined();
    expect(localOf('yesterday')).toBe('');
  });
});

describe('the pager', () => {
  test('with a count it knows the last page', () => {
    expect(pagerOf({ count: 101 }, { page: 3, limit: 50 }, 1)).toEqual({
      kind: 'counted',
      page: 3,
      last: 3,
      count: 101,
      from: 101,
      to: 101,
    });
  });

  test('without a count, or with -1, it knows only whether there is more', () => {
    expect(pagerOf({ hasnext: true }, { page: 2, limit: 20 }, 20)).toMatchObject({
      kind: 'open',
      hasNext: true,
    });
    expect(pagerOf({ count: -1, hasnext: false }, { page: 1, limit: 20 }, 20)).toMatchObject({
      kind: 'open',
      hasNext: false,
    });
  });

  test.each([
    [1, 1, [1]],
    [1, 5, [1, 2, 3, 4, 5]],
    [1, 9, [1, 2, 3, 4, 'gap', 9]],
    [5, 9, [1, 'gap', 4, 5, 6, 'gap', 9]],
    [4, 9, [1, 2, 3, 4, 5, 'gap', 9]],
    [9, 9, [1, 'gap', 6, 7, 8, 9]],
  ])('page %i of %i shows the buttons %j', (page, last, buttons) => {
    expect(pageButtons(page, last)).toEqual(buttons);
  });

  test('an emptied page steps back, to the last page that exists', () => {
    expect(pageInstead({ count: 100 }, { page: 3, limit: 50 }, 0)).toBe(2);
    expect(pageInstead({ count: 20 }, { page: 9, limit: 50 }, 0)).toBe(1);
    expect(pageInstead({ hasnext: false }, { page: 3, limit: 50 }, 0)).toBe(2);
    expect(pageInstead({ count: 0 }, { page: 1, limit: 50 }, 0)).toBeNull();
    expect(pageInstead({ count: 120 }, { page: 3, limit: 50 }, 20)).toBeNull();
  });
});

describe('the selection', () => {
  test('ticks stay when the page changes', () => {
    const one = choose(NOTHING, ['a'], true);
    const two = choose(one, ['x', 'y'], true);
    expect(['a', 'x', 'y', 'z'].map((id) => isSelected(two, id))).toEqual([true, true, true, false]);
    expect(selectedCount(two, 500)).toBe(3);
  });

  test('all that match is counted by the server, minus what was taken out', () => {
    const some = choose(EVERYTHING, ['b'], false);
    expect(isSelected(some, 'b')).toBe(false);
    expect(isSelected(some, 'somewhere else')).toBe(true);
    expect(selectedCount(some, 1204)).toBe(1203);
    expect(selectedCount(choose(some, ['b'], true), 1204)).toBe(1204);
  });

  test('Shift means everything from the last click, in either direction', () => {
    const page = ['a', 'b', 'c', 'd'];
    expect(range(page, 'b', 'd')).toEqual(['b', 'c', 'd']);
    expect(range(page, 'd', 'b')).toEqual(['b', 'c', 'd']);
    expect(range(page, 'gone', 'c')).toEqual(['c']);
    expect(range(page, undefined, 'c')).toEqual(['c']);
  });

  test('the box of the page is full, empty or between', () => {
    expect(pageState(NOTHING, [])).toBe('none');
    expect(pageState(choose(NOTHING, ['a'], true), ['a', 'b'])).toBe('some');
    expect(pageState(EVERYTHING, ['a', 'b'])).toBe('all');
  });
});

describe('a deed on many rows', () => {
  test('goes on past failures and names them', async () => {
    const seen: number[] = [];
    const result = await runBulk(
      ['a', 'b', 'c'],
      async ([id]) => {
        if (id === 'b') throw new Error('gone');
      },
      { signal: live(), parallel: 1, onProgress: ({ done }) => seen.push(done) },
    );
    expect(seen).toEqual([1, 2, 3]);
    expect(result).toMatchObject({ done: 3, total: 3, left: 0 });
    expect(result.failed).toEqual([{ item: 'b', error: new Error('gone') }]);
  });

  test('hands over batches where one call takes many', async () => {
    const batches: number[] = [];
    await runBulk(
      Array.from({ length: 250 }, (_, i) => i),
      async (batch) => batches.push(batch.length),
      { signal: live(), batch: 100, parallel: 1 },
    );
    expect(batches).toEqual([100, 100, 50]);
  });

  test('cancelled, it finishes what was begun and says what was left', async () => {
    const abort = new AbortController();
    const done: string[] = [];
    const result = await runBulk(
      ['a', 'b', 'c', 'd'],
      async ([id]) => {
        if (id === 'b') abort.abort();
        await Promise.resolve();
        done.push(id!);
      },
      { signal: abort.signal, parallel: 1 },
    );
    expect(done).toEqual(['a', 'b']);
    expect(result).toMatchObject({ done: 2, left: 2 });
  });
});

describe('the export', () => {
  const rows = Array.from({ length: 2500 }, (_, id) => ({ id }));
  const server = vi.fn(async (page: number, limit: number) => ({
    data: rows.slice((page - 1) * limit, page * limit),
    meta: { page, limit, count: rows.length },
  }));

  test('reads all pages in thousands and says how far it is', async () => {
    const progress: number[] = [];
    const all = await readAll(server, { signal: live(), onProgress: ({ rows }) => progress.push(rows) });
    expect(all).toEqual(rows);
    expect(progress).toEqual([1000, 2000, 2500]);
    expect(server.mock.calls.map(([page, limit]) => [page, limit])).toEqual([
      [1, 1000],
      [2, 1000],
      [3, 1000],
    ]);
  });

  test('without a count it follows hasnext to the end', async () => {
    const all = await readAll(
      async (page, limit) => ({
        data: rows.slice((page - 1) * 10, page * 10),
        meta: { page, limit, hasnext: page < 3 },
      }),
      { signal: live(), limit: 10 },
    );
    expect(all).toHaveLength(30);
  });

  test('a row that moved to a later page meanwhile is written once', async () => {
    const pages = [
      ['a', 'b'],
      ['b', 'c'],
    ];
    const all = await readAll(
      async (page, limit) => ({ data: pages[page - 1]!, meta: { page, limit, count: 4 } }),
      { signal: live(), limit: 2, rowId: (id) => id },
    );
    expect(all).toEqual(['a', 'b', 'c']);
  });

  test('cancelled between pages it stops with the reason', async () => {
    const abort = new AbortController();
    const load = vi.fn(async (page: number, limit: number) => {
      abort.abort(new Error('enough'));
      return { data: [page], meta: { page, limit, count: 9000 } };
    });
    await expect(readAll(load, { signal: abort.signal })).rejects.toThrow('enough');
    expect(load).toHaveBeenCalledTimes(1);
  });

  test.each([
    ['plain', 'plain'],
    ['a,b', '"a,b"'],
    ['say "hi"', '"say ""hi"""'],
    ['two\r\nlines', '"two\r\nlines"'],
    ['=1+1', "'=1+1"],
    ['+49', "'+49"],
    ['-x', "'-x"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\tx', "'\tx"],
    ['\rx', '"\'\rx"'],
    ['=a,"b"', '"\'=a,""b"""'],
    [-5, '-5'],
    [true, 'true'],
    [null, ''],
    [undefined, ''],
    [{ a: 1 }, '"{""a"":1}"'],
    ['$share/g/t/#', '$share/g/t/#'],
  ])('the cell %j is written as %j', (value, cell) => {
    expect(csvCell(value)).toBe(cell);
  });

  test('CSV has a head line and ends each record with CRLF; JSON is one list', () => {
    const columns = [
      { label: 'Client ID', value: (row: { id: number }) => row.id },
      { label: 'a,b', value: () => 'x' },
    ];
    expect(toCsv([{ id: 1 }, { id: 2 }], columns)).toBe('Client ID,"a,b"\r\n1,x\r\n2,x\r\n');
    expect(JSON.parse(toJson([{ id: 1 }]))).toEqual([{ id: 1 }]);
    expect(exportName('/mqtt/retainer/messages', 'csv', new Date('2026-03-01T10:20:30Z'))).toBe(
      'mqtt-retainer-messages-2026-03-01T10-20-30.csv',
    );
  });
});

describe('the choice of columns', () => {
  const columns = [
    { id: 'a', hidden: false },
    { id: 'b', hidden: true },
    { id: 'c', hidden: false },
  ];

  test('is kept per list', () => {
    writeChoice('x', moveColumn(toggleColumn(readChoice('x', columns), 'b'), 'c', -1));
    expect(readChoice('x', columns)).toEqual({ hidden: [], order: ['a', 'c', 'b'] });
    expect(readChoice('y', columns)).toEqual({ hidden: ['b'], order: ['a', 'b', 'c'] });
  });

  test('forgets columns that are gone and gives new ones their own place', () => {
    writeChoice('x', { hidden: ['old'], order: ['c', 'old', 'a'] });
    expect(readChoice('x', columns)).toEqual({ hidden: ['old', 'b'], order: ['c', 'b', 'a'] });
  });

  test.each([['null'], ['{"hidden":1}'], ['not json'], ['[]']])('survives the stored text %s', (stored) => {
    localStorage.setItem('columns:x', stored);
    expect(readChoice('x', columns)).toEqual({ hidden: ['b'], order: ['a', 'b', 'c'] });
  });
});

describe('a local list', () => {
  interface Row {
    name: string;
    size?: number;
  }
  const column = columnsOf<Row>();
  const columns = [column.text('name'), column.number('size')];
  const rows: Row[] = [{ name: 'node-10', size: 1 }, { name: 'node-2' }, { name: 'Edge', size: 30 }];

  test('finds text in any column, upper and lower case alike', () => {
    expect(matching(rows, columns, { q: 'EDGE' })).toEqual([rows[2]]);
    expect(matching(rows, columns, { q: '30' })).toEqual([rows[2]]);
    expect(matching(rows, columns, { name: 'node-2' })).toEqual([rows[1]]);
  });

  test('sorts texts as people do and numbers by value, what is missing last', () => {
    const names = (order: 'asc' | 'desc', sort: string) =>
      sorted(rows, columns, { sort, order }).map(({ name }) => name);
    expect(names('asc', 'name')).toEqual(['Edge', 'node-2', 'node-10']);
    expect(names('desc', 'size')).toEqual(['Edge', 'node-10', 'node-2']);
    expect(names('asc', 'size')).toEqual(['node-10', 'Edge', 'node-2']);
  });
});

test('a list of texts is separated by commas; those within a text survive the way there and back', () => {
  expect(splitList('a, b,c ,, d e')).toEqual(['a', 'b', 'c', 'd e']);
  expect(splitList('a\\,b')).toEqual(['a,b']);
  expect(splitList(' , ')).toEqual([]);
  for (const texts of [['a,b', 'c'], [' a', 'b '], ['  '], ['#', 'a/b', '%2e', '😀'], ['back\\slash']])
    expect(splitList(joinList(texts))).toEqual(texts);
});
