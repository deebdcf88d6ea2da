import {
  BCRYPT_ROUNDS,
  MAC_FUNCTIONS,
  PBKDF2_MAX,
  SALT_POSITIONS,
  SIMPLE_HASHES,
} from '@mqdeck/contract/authentication';
import { useWatch } from 'react-hook-form';
import { useWords } from '../../i18n/words.ts';
import { NumberField } from '../fields.tsx';
import { Select } from '../Select.tsx';
import { useField } from '../use-field.ts';
import { hashBody } from './hash.ts';
import { words } from './words.ts';

const ALGORITHMS = [...SIMPLE_HASHES, 'bcrypt', 'pbkdf2'];
const SALTS = { disable: words.saltDisable, prefix: words.saltPrefix, suffix: words.saltSuffix };

/** How passwords are kept: the algorithm and what belongs to it. `fresh` hashes are made here, not only compared. */
export function PasswordHash({ name, fresh = false }: { name: string; fresh?: boolean }) {
  const w = useWords(words);
  // As a whole it is a field too, which says what is sent of it.
  useField({ name, label: w.hash }, { send: (value) => hashBody(value, fresh) });
  const algorithm: unknown = useWatch({ name: `${name}.name` });
  const simple = (SIMPLE_HASHES as readonly unknown[]).includes(algorithm);
  return (
    <>
      <Select
        name={`${name}.name`}
        label={w.hash}
        options={ALGORITHMS}
        standard="sha256"
        hint={algorithm === 'plain' ? w.plainText : simple ? w.weakHash : undefined}
        required
      />
      {simple && algorithm !== 'plain' && (
        <Select
          name={`${name}.salt_position`}
          label={w.saltPosition}
          options={SALT_POSITIONS}
          labels={SALTS}
          standard="suffix"
          required
        />
      )}
      {algorithm === 'bcrypt' && fresh && (
        <NumberField
          name={`${name}.salt_rounds`}
          label={w.saltRounds}
          standard={BCRYPT_ROUNDS.usual}
          min={BCRYPT_ROUNDS.min}
          max={BCRYPT_ROUNDS.max}
          integer
        />
      )}
      {algorithm === 'pbkdf2' && (
        <>
          <Select
            name={`${name}.mac_fun`}
            label={w.macFun}
            options={MAC_FUNCTIONS}
            standard="sha256"
            required
          />
          <NumberField
            name={`${name}.iterations`}
            label={w.iterations}
            standard={4096}
            min={1}
            max={PBKDF2_MAX.iterations}
            integer
            required
          />
          <NumberField
            name={`${name}.dk_length`}
            label={w.dkLength}
            unit={w.bytes}
            min={1}
            max={PBKDF2_MAX.dkLength}
            integer
          />
        </>
      )}
    </>
  );
}
