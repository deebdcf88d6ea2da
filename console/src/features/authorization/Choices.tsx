import styles from './wizard.module.css';

export interface Choice<V extends string> {
  value: V;
  label: string;
  text: string;
  /** Why it cannot be chosen; shown as a badge. */
  taken?: string | undefined;
}

/** One of several, each with a sentence that explains it. */
export function Choices<V extends string>({
  legend,
  name,
  choices,
  value,
  onChange,
}: {
  legend: string;
  name: string;
  choices: readonly Choice<V>[];
  value: V | undefined;
  onChange: (value: V) => void;
}) {
  return (
    <fieldset className={styles.choices}>
      <legend className={styles.legend}>{legend}</legend>
      {choices.map((choice) => (
        <label key={choice.value} className={styles.choice} data-taken={choice.taken ? true : undefined}>
          <input
            type="radio"
            name={name}
            value={choice.value}
            checked={value === choice.value}
            disabled={choice.taken !== undefined}
            onChange={() => onChange(choice.value)}
          />
          <span className={styles.choiceLabel}>
            {choice.label}
            {choice.taken && <span className={styles.badge}>{choice.taken}</span>}
          </span>
          <span className={styles.choiceText}>{choice.text}</span>
        </label>
      ))}
    </fieldset>
  );
}
