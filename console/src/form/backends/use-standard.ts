import { useEffect, useRef } from 'react';
import { useFormContext } from 'react-hook-form';

/**
 * A default that follows other fields, such as the query with or without salt: as long as the field holds the old one,
 * it gets the new one. What the operator wrote stays.
 */
export function useFollowing(name: string, standard: string): void {
  const { getValues, setValue } = useFormContext();
  const before = useRef(standard);
  useEffect(() => {
    if (before.current === standard) return;
    if (getValues(name) === before.current) setValue(name, standard, { shouldDirty: true });
    before.current = standard;
  }, [name, standard, getValues, setValue]);
}
