import type { AnswerOf, Endpoint } from '@mqdeck/contract/kit/endpoint';
import { ApiError } from '../../api/api-error.ts';
import { refresh } from '../../api/query-client.ts';
import { sentenceOf } from '../../api/report.ts';
import { request } from '../../api/request.ts';
import { toast } from '../../ui/toast.ts';

/** Two endpoints of a list that is only ever saved as a whole. */
export interface WholeList<Item> {
  list: Endpoint & { ok: { schema: unknown } };
  update: Endpoint;
  /** What tells one item from another. */
  same: (a: Item, b: Item) => boolean;
}

/** The list as it is at the broker now: whoever saves it as a whole must not undo what others did meanwhile. */
async function nowOf<Item>({ list }: WholeList<Item>): Promise<Item[]> {
  return (await request(list, {} as never, { quiet: true })) as AnswerOf<typeof list> as Item[];
}

/** Where an item stands now, -1 when it is not there any more. */
const placeOf = <Item>({ same }: WholeList<Item>, now: readonly Item[], item: Item): number =>
  now.findIndex((other) => same(other, item));

/** The list with another item in the place of one; behind all without one; null when that one is gone. */
export async function withItem<Item>(
  whole: WholeList<Item>,
  edited: Item | undefined,
  item: Item,
): Promise<Item[] | null> {
  const now = await nowOf(whole);
  if (edited === undefined) return [...now, item];
  const at = placeOf(whole, now, edited);
  return at === -1 ? null : now.with(at, item);
}

/** Changes the list; false when the item is gone or the broker refused, which a toast says. */
export async function changeList<Item>(
  whole: WholeList<Item>,
  item: Item,
  change: (now: Item[], at: number) => Item[],
  gone: string,
): Promise<boolean> {
  try {
    const now = await nowOf(whole);
    const at = placeOf(whole, now, item);
    if (at === -1) {
      toast('info', gone);
      return false;
    }
    await request(whole.update, { body: change(now, at) } as never, { quiet: true });
    return true;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    toast('bad', sentenceOf(error));
    return false;
  } finally {
    await refresh([whole.list]);
  }
}
