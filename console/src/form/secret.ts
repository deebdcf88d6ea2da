import { MASK } from '@mqdeck/contract/kit/values';

/** Six asterisks stand for what is stored: sent back unchanged they keep it. */
export const isStored = (value: unknown): boolean => value === MASK;

/** A secret that still holds part of the mask was edited, not replaced. */
export const holdsMask = (value: unknown): boolean =>
  typeof value === 'string' && value !== MASK && value.includes('***');
