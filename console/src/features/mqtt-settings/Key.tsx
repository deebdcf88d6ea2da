import { createContext, type ReactElement, useContext, useEffect, useState } from 'react';
import { useFormContext, useWatch } from 'react-hook-form';
import { useFormKit } from '../../form/form-context.ts';
import { WhereKnown } from '../../form/SettingsForm.tsx';
import { shownValue } from '../../form/shown-value.ts';
import { copyOf, same, valueAt } from '../../form/values.ts';
import { words as kitWords } from '../../form/words.ts';
import { useWords } from '../../i18n/words.ts';
import styles from './mqtt-settings.module.css';
import type { Roots } from './own.ts';
import { zoneWords } from './zone-words.ts';

/** What a zone inherits; null on the tab of the global settings. */
export const InheritedContext = createContext<Roots | null>(null);

/** One key of the settings, where the broker has it; on the tab of a zone with where its value comes from. */
export function Key({ children }: { children: ReactElement<{ name: string }> }) {
  const { name } = children.props;
  const inherited = useContext(InheritedContext);
  return (
    <WhereKnown name={name}>
      {inherited === null ? (
        children
      ) : (
        <div className={styles.key}>
          {children}
          <Origin name={name} inherited={valueAt(inherited, name)} />
        </div>
      )}
    </WhereKnown>
  );
}

function Origin({ name, inherited }: { name: string; inherited: unknown }) {
  const w = useWords(zoneWords);
  const k = useWords(kitWords);
  const kit = useFormKit();
  const { setValue } = useFormContext();
  const value: unknown = useWatch({ name });
  // The field beside it says how its values are shown, once it is there.
  const [, setDrawn] = useState(false);
  useEffect(() => setDrawn(true), []);
  if (same(value, inherited)) return <p className={styles.origin}>{w.inherited}</p>;
  const reset = w.reset({ value: shownValue(kit, name, inherited, k) });
  return (
    <p className={styles.origin}>
      <span className={styles.own}>{w.own}</span>
      {!kit.readOnly && (
        <button
          type="button"
          className={styles.reset}
          aria-label={`${kit.label(name)}: ${reset}`}
          onClick={() => setValue(name, copyOf(inherited), { shouldDirty: true, shouldValidate: true })}
        >
          {reset}
        </button>
      )}
    </p>
  );
}
