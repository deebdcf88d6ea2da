import { IconWarn } from '../../ui/icons.tsx';
import styles from './LoginPage.module.css';

/** What went wrong with the form as a whole; read out when it appears. */
export function FormProblem({ text }: { text: string }) {
  return (
    <div role="alert" className={styles.problem}>
      <IconWarn size={17} />
      <span>{text}</span>
    </div>
  );
}
