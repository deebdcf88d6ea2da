import type { Endpoint, RequestOf } from '@mqdeck/contract/kit/endpoint';
import { useCallback, useEffect, useRef, useState } from 'react';
import { ApiError } from './api-error.ts';
import { request } from './request.ts';
import { type Sent, telling } from './upload.ts';
import type { Outcome } from './use-action.ts';

export interface Upload<E extends Endpoint> {
  /** Sends a file; failures are the caller's to show. Without an error in what comes back, it was cancelled. */
  send(given: RequestOf<E>): Promise<Outcome<E>>;
  /** Undefined while nothing is sent. */
  sent: Sent | undefined;
  cancel(): void;
}

/** Brings a file to the broker, and tells how far it has come. A page that is left takes its upload along. */
export function useUpload<E extends Endpoint>(endpoint: E): Upload<E> {
  const [sent, setSent] = useState<Sent>();
  const running = useRef<AbortController>(undefined);
  const cancel = useCallback(() => running.current?.abort(), []);
  useEffect(() => cancel, [cancel]);

  const send = useCallback(
    async (given: RequestOf<E>): Promise<Outcome<E>> => {
      const controller = new AbortController();
      running.current = controller;
      setSent({ sent: 0, total: 0 });
      const onSent = (now: Sent) => {
        setSent(now);
        // What has arrived whole is in the broker's hands: taking it back would only lose the answer
        if (now.sent === now.total && running.current === controller) running.current = undefined;
      };
      try {
        const answer = await request(endpoint, given, {
          quiet: true,
          progress: false, // it has one of its own
          signal: controller.signal,
          via: telling(onSent),
        });
        return { done: true, answer };
      } catch (error) {
        if (controller.signal.aborted) return { done: false, error: undefined };
        if (!(error instanceof ApiError)) throw error;
        return { done: false, error };
      } finally {
        if (running.current === controller) running.current = undefined;
        setSent(undefined);
      }
    },
    [endpoint],
  );
  return { send, sent, cancel };
}
