import styles from './Figures.module.css';

export interface Figure {
  label: string;
  value: string;
  /** In a few words, what is counted. */
  text: string;
}

/** Large numbers, each with its name and what it counts. */
export function Figures({ figures, label }: { figures: readonly Figure[]; label?: string | undefined }) {
  return (
    <dl className={styles.figures} aria-label={label}>
      {figures.map((figure) => (
        <div key={figure.label}>
          <dt>{figure.label}</dt>
          <dd>
            <span className={styles.figure}>{figure.value}</span>
            <span className={styles.text}>{figure.text}</span>
          </dd>
        </div>
      ))}
    </dl>
  );
}
