import { expect, test } from 'vitest';
import { CsvError, CsvReader } from './csv.ts';

/** The records of a text that arrives in pieces of `size` characters. */
function records(text: string, size = text.length) {
  const reader = new CsvReader();
  const all = [];
  for (let at = 0; at < text.length; at += size) all.push(...reader.take(text.slice(at, at + size)));
  return [...all, ...reader.end()];
}

test('records are read as RFC 4180 says, wherever the text is cut', () => {
  const text = 'a,"b\nc",""""\r\n\n"d\r",\r\nx"y,,z\r\n"",""';
  for (const size of [1, 2, 3, 7, 1000])
    expect(records(text, size)).toEqual([
      { line: 1, cells: ['a', 'b\nc', '"'] },
      { line: 4, cells: ['d\r', ''] },
      { line: 5, cells: ['x"y', '', 'z'] },
      { line: 6, cells: ['', ''] },
    ]);
  expect(records('')).toEqual([]);
});

test('a quotation mark that is not closed, text behind one and a record without end are errors that name the line', () => {
  for (const size of [1, 5, 1000]) {
    expect(() => records('a\n"b', size)).toThrow('line 2: a quotation mark is not closed');
    expect(() => records('a\n"b"c,d\n', size)).toThrow('line 2: text follows a closing quotation mark');
  }
  expect(() => records(`a\n"${'x'.repeat(200_000)}`, 1000)).toThrow(CsvError);
});
