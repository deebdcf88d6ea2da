import { MantineProvider } from '@mantine/core';
import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useWatch } from 'react-hook-form';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { ContractForm } from '../ContractForm.tsx';
import { Text } from '../fields.tsx';
import { hashBody, isSalted } from './hash.ts';
import { jsonText, objectIn } from './json-text.ts';
import { useFollowing } from './use-standard.ts';

const endpoint = {
  method: 'POST',
  path: '/things',
  summary: '',
  body: z.strictObject({ mode: z.string(), query: z.string() }),
  ok: { status: 200, schema: null },
} as const;

function Fields() {
  const standard = `by ${String(useWatch({ name: 'mode' }))}`;
  useFollowing('query', standard);
  return (
    <>
      <Text name="mode" label="Mode" />
      <Text name="query" label="Query" />
    </>
  );
}

test('a default follows what it depends on, until somebody writes something else', async () => {
  render(
    <MantineProvider env="test" withCssVariables={false} withGlobalClasses={false} withStaticClasses={false}>
      <ContractForm endpoint={endpoint} initial={{ mode: 'a', query: 'by a' }} words={{}}>
        <Fields />
      </ContractForm>
    </MantineProvider>,
  );
  const user = userEvent.setup();
  const query = screen.getByLabelText<HTMLInputElement>('Query');
  await user.type(screen.getByLabelText('Mode'), 'b');
  await waitFor(() => expect(query.value).toBe('by ab'));
  await user.type(query, '!');
  await user.type(screen.getByLabelText('Mode'), 'c');
  expect(query.value).toBe('by ab!');
});

test('of a password hash only what matters to its algorithm is sent', () => {
  const all = { salt_position: 'prefix', salt_rounds: 6, mac_fun: 'sha', iterations: 5, dk_length: '' };
  expect(hashBody({ name: 'md5', ...all }, true)).toEqual({ name: 'md5', salt_position: 'prefix' });
  expect(hashBody({ name: 'plain', ...all }, true)).toEqual({ name: 'plain', salt_position: 'disable' });
  expect(hashBody({ name: 'bcrypt', ...all }, true)).toEqual({ name: 'bcrypt', salt_rounds: 6 });
  expect(hashBody({ name: 'bcrypt', ...all }, false)).toEqual({ name: 'bcrypt' });
  expect(hashBody({ name: 'pbkdf2', ...all }, true)).toEqual({
    name: 'pbkdf2',
    mac_fun: 'sha',
    iterations: 5,
  });
  const salted = (name: string, salt_position: string) => isSalted({ name, salt_position });
  expect([salted('sha256', 'suffix'), salted('sha256', 'disable')]).toEqual([true, false]);
  expect([salted('bcrypt', 'suffix'), salted('plain', 'suffix'), salted('pbkdf2', 'disable')]).toEqual([
    false,
    false,
    true,
  ]);
});

test('a JSON text is an object, nothing, or says what is wrong', () => {
  expect(objectIn(jsonText({ a: 1 }))).toEqual({ object: { a: 1 } });
  expect(objectIn(' ')).toEqual({ object: undefined });
  expect(objectIn('[1]')).toEqual({ fault: null });
  expect(objectIn('{')).toMatchObject({ fault: expect.any(String) });
});
