import type { ComponentProps } from 'react';
import { Secret } from '../../../form/fields.tsx';
import { useReenter } from './reenter.ts';

/** A secret of a bridge; one that a copy left behind must be entered again. */
export function Credential({ required, ...props }: ComponentProps<typeof Secret>) {
  const left = useReenter().has(props.name);
  return <Secret {...props} required={required === true || left} removable={required !== true} />;
}
