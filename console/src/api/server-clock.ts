/** Keeps how far the server's clock is from that of the browser; request.ts tells it with every answer. */
let aheadMs = 0;

/** A `Date` header has whole seconds, so smaller differences are none. */
export function noteServerTime(header: string | null): void {
  const said = Date.parse(header ?? '');
  if (Number.isNaN(said)) return;
  const ahead = said - Date.now();
  aheadMs = Math.abs(ahead) < 2000 ? 0 : ahead;
}

/** Epoch ms as the server has it. */
export const serverNow = (): number => Date.now() + aheadMs;
