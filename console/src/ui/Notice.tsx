import type { ReactNode } from 'react';
import { IconBad, IconGood, IconInfo, IconWarn } from './icons.tsx';
import styles from './Notice.module.css';

/** What must be known of all that stands below. What is to be heard at once is an alert, what may wait a status. */
export function Notice({
  is = 'info',
  role,
  children,
}: {
  is?: 'info' | 'warn' | 'bad' | undefined;
  role?: 'alert' | 'status' | undefined;
  children: ReactNode;
}) {
  const Sign = is === 'info' ? IconInfo : IconWarn;
  return (
    <p className={styles.notice} data-is={is} role={role}>
      <Sign size={16} />
      <span>{children}</span>
    </p>
  );
}

const SIGNS = { good: IconGood, warn: IconWarn, bad: IconBad };

/** The answer to a question, above what it comes from. */
export function Verdict({
  is,
  title,
  children,
}: {
  is: keyof typeof SIGNS;
  title: string;
  children?: ReactNode;
}) {
  const Sign = SIGNS[is];
  return (
    <p className={styles.verdict} data-is={is}>
      <Sign size={20} />
      <span>
        <strong>{title}</strong> {children}
      </span>
    </p>
  );
}
