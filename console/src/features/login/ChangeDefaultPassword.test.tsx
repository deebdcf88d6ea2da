import { MantineProvider } from '@mantine/core';
import { render, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { ChangeDefaultPassword } from './ChangeDefaultPassword.tsx';

test('the reminder begins in the field of the new password and says why it is there', () => {
  render(
    <MantineProvider env="test" withCssVariables={false} withGlobalClasses={false} withStaticClasses={false}>
      <ChangeDefaultPassword username="admin" password="public" done={() => undefined} />
    </MantineProvider>,
  );
  const field = screen.getByLabelText('New password') as HTMLInputElement;
  expect(document.activeElement).toBe(field);
  expect(field.required).toBe(true);
  expect((screen.getByLabelText('Repeat the new password') as HTMLInputElement).required).toBe(true);
  const why = field.form?.getAttribute('aria-describedby') ?? '';
  expect(document.getElementById(why)?.textContent).toContain('admin');
});
