/** Runs one action over many items: a few at a time, going on past errors, until done or cancelled. */

export interface BulkFailure<Item> {
  item: Item;
  error: unknown;
}

export interface BulkProgress<Item> {
  done: number;
  total: number;
  failed: readonly BulkFailure<Item>[];
}

export interface BulkResult<Item> extends BulkProgress<Item> {
  /** Items that were not begun because it was cancelled. */
  left: number;
}

export interface BulkOptions<Item> {
  /** Items handed to one call; 1 unless the endpoint takes many. */
  batch?: number;
  /** Calls under way at once. */
  parallel?: number;
  signal: AbortSignal;
  onProgress?: (progress: BulkProgress<Item>) => void;
}

export async function runBulk<Item>(
  items: readonly Item[],
  act: (batch: readonly Item[], signal: AbortSignal) => Promise<unknown>,
  { batch = 1, parallel = 4, signal, onProgress }: BulkOptions<Item>,
): Promise<BulkResult<Item>> {
  const failed: BulkFailure<Item>[] = [];
  let next = 0;
  let done = 0;

  async function work(): Promise<void> {
    while (next < items.length && !signal.aborted) {
      const mine = items.slice(next, next + batch);
      next += mine.length;
      try {
        // Work already begun is let finish: aborting it would leave unknown whether the broker did it.
        await act(mine, signal);
      } catch (error) {
        for (const item of mine) failed.push({ item, error });
      }
      done += mine.length;
      onProgress?.({ done, total: items.length, failed: [...failed] });
    }
  }

  await Promise.all(Array.from({ length: Math.min(parallel, items.length) }, work));
  return { done, total: items.length, failed, left: items.length - done };
}
