import { MantineProvider } from '@mantine/core';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { ApiError } from '../../api/api-error.ts';
import { SignInForm } from './SignInForm.tsx';

/** Signs in where the broker refuses as told. */
async function refusedWith(facts: ConstructorParameters<typeof ApiError>[0]) {
  render(
    <MantineProvider env="test" withCssVariables={false} withGlobalClasses={false} withStaticClasses={false}>
      <SignInForm submit={() => Promise.reject(new ApiError(facts))} />
    </MantineProvider>,
  );
  const user = userEvent.setup();
  await user.type(screen.getByLabelText('Username'), 'ann');
  await user.type(screen.getByLabelText('Password'), 'guess{Enter}');
  return screen.findByRole('alert');
}

test.each([
  [undefined, 'another 10 minutes'],
  [600, 'another 10 minutes'],
  [61, 'another 2 minutes'],
  [60, 'another 1 minute,'],
  [1, 'another 1 minute,'],
])('a locked user reads how long it lasts: after %s s', async (retryAfterSeconds, said) => {
  const alert = await refusedWith({ status: 401, code: 'LOGIN_LOCKED', retryAfterSeconds });
  expect(alert.textContent).toContain(said);
});

test('a wrong password is no lock', async () => {
  const alert = await refusedWith({ status: 401, code: 'BAD_USERNAME_OR_PWD' });
  expect(alert.textContent).toBe('Incorrect username or password');
});
