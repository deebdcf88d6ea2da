import type { UserEvent } from '@testing-library/user-event';

/** Replaces the text of a field in one step, as a paste does. Typing would draw a long form again with every key. */
export async function fill(
  user: Pick<UserEvent, 'clear' | 'paste'>,
  field: Element,
  text: string,
): Promise<void> {
  await user.clear(field);
  if (text !== '') await user.paste(text);
}
