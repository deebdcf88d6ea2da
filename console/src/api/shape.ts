import type { Endpoint } from '@mqdeck/contract/kit/endpoint';

/** The part of a schema that tells an array from an object; zod keeps it under `def`. */
interface Shaped {
  def?: { type: string; element?: Shaped; shape?: Record<string, Shaped>; options?: readonly Shaped[] };
}

/**
 * Whether an answer has the outline its endpoint promises: an array of objects, a page of objects, an object. Fields are
 * not looked at: brokers of other versions have more and fewer, and ten thousand rows come every few seconds.
 */
export function fits({ ok }: Endpoint, body: unknown): boolean {
  return ok.schema === null || hasOutline(ok.schema as Shaped, body, true);
}

function hasOutline({ def }: Shaped, value: unknown, whole: boolean): boolean {
  if (def?.type === 'union') return def.options?.some((option) => hasOutline(option, value, whole)) ?? true;
  if (def?.type === 'array') {
    const { element } = def;
    return Array.isArray(value) && (!element || value.every((one) => hasOutline(element, one, false)));
  }
  if (def?.type !== 'object') return true;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const { data, meta } = (whole && def.shape) || {};
  if (!data || !meta) return true;
  const page = value as Record<string, unknown>;
  return hasOutline(data, page.data, false) && hasOutline(meta, page.meta, false);
}
