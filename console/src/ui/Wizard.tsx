import type { ReactNode } from 'react';
import styles from './Wizard.module.css';

/** Where somebody is in a form of several steps; the first is 1. */
export function Steps({
  label,
  steps,
  current,
}: {
  label: string;
  steps: readonly string[];
  current: number;
}) {
  return (
    <ol className={styles.steps} aria-label={label}>
      {steps.map((step, i) => (
        <li key={step} aria-current={i + 1 === current ? 'step' : undefined}>
          <span className={styles.number}>{i + 1}</span>
          {step}
        </li>
      ))}
    </ol>
  );
}

/** What a step holds, as wide as a form. */
export const Step = ({ children }: { children: ReactNode }) => <div className={styles.step}>{children}</div>;

/** Back and on. */
export const StepButtons = ({ children }: { children: ReactNode }) => (
  <div className={styles.buttons}>{children}</div>
);

export const StepTitle = ({ children }: { children: ReactNode }) => (
  <h2 className={styles.legend}>{children}</h2>
);

export function StepNote({ children, live = false }: { children: ReactNode; live?: boolean }) {
  return (
    <p className={styles.note} role={live ? 'status' : undefined}>
      {children}
    </p>
  );
}

export interface Choice<V extends string> {
  value: V;
  label: string;
  text: string;
  icon?: ReactNode;
  /** Why it cannot be chosen; shown as a badge. */
  taken?: string | undefined;
}

export interface ChoiceGroup<V extends string> {
  title: string;
  choices: readonly Choice<V>[];
}

interface ChoicesProps<V extends string> {
  legend: string;
  name: string;
  value: V | undefined;
  onChange: (value: V) => void;
}

/** One of several, each with a sentence that explains it. */
export function Choices<V extends string>({
  choices,
  ...rest
}: ChoicesProps<V> & { choices: readonly Choice<V>[] }) {
  return (
    <fieldset className={styles.choices}>
      <legend className={styles.legend}>{rest.legend}</legend>
      {choices.map((choice) => (
        <Tile key={choice.value} choice={choice} {...rest} />
      ))}
    </fieldset>
  );
}

/** As `Choices`, under the names of their groups. */
export function GroupedChoices<V extends string>({
  groups,
  ...rest
}: ChoicesProps<V> & { groups: readonly ChoiceGroup<V>[] }) {
  return (
    <fieldset className={styles.groups}>
      <legend className={styles.legend}>{rest.legend}</legend>
      {groups.map(({ title, choices }) => (
        <section key={title} className={styles.group} aria-label={title}>
          <h3 className={styles.groupTitle}>{title}</h3>
          <div className={styles.choices}>
            {choices.map((choice) => (
              <Tile key={choice.value} choice={choice} {...rest} />
            ))}
          </div>
        </section>
      ))}
    </fieldset>
  );
}

function Tile<V extends string>({
  choice: { value: own, label, text, icon, taken },
  name,
  value,
  onChange,
}: Pick<ChoicesProps<V>, 'name' | 'value' | 'onChange'> & { choice: Choice<V> }) {
  const textId = `${name}-${own}`;
  return (
    <label className={styles.choice} data-taken={taken ? true : undefined}>
      <input
        type="radio"
        name={name}
        value={own}
        aria-label={taken ? `${label} (${taken})` : label}
        aria-describedby={textId}
        checked={value === own}
        disabled={taken !== undefined}
        onChange={() => onChange(own)}
      />
      <span className={styles.choiceLabel}>
        <span className={styles.choiceName}>
          {icon}
          {label}
        </span>
        {taken && <span className={styles.badge}>{taken}</span>}
      </span>
      <span id={textId} className={styles.choiceText}>
        {text}
      </span>
    </label>
  );
}
