import { render } from '@testing-library/react';
import { expect, test } from 'vitest';
import { Seconds } from './client-columns.tsx';

test.each([
  [4_294_967_295, 'atOnce', 'Never'],
  [0, 'atOnce', 'At disconnect'],
  [0, 'off', 'Off'],
  [7200, 'atOnce', '2h'],
] as const)('an interval of %i seconds reads as people say it', (value, zero, text) => {
  const { container } = render(<Seconds value={value} zero={zero} />);
  expect(container.textContent?.toLowerCase()).toBe(text.toLowerCase());
});
