import { useSyncExternalStore } from 'react';
import { useWords } from '../i18n/words.ts';
import { IconClose, IconGood, IconInfo, IconWarn } from './icons.tsx';
import styles from './Toasts.module.css';
import { dismiss, getToasts, holdToasts, onToastsChange, releaseToasts, type ToastKind } from './toast.ts';
import { words } from './words.ts';

const signs: Record<ToastKind, typeof IconInfo> = {
  good: IconGood,
  bad: IconWarn,
  warn: IconWarn,
  info: IconInfo,
};

/** The toasts, at the lower right; a live region, so that each is read out when it comes. */
export function Toasts() {
  const w = useWords(words);
  const toasts = useSyncExternalStore(onToastsChange, getToasts);
  return (
    <section
      className={styles.toasts}
      aria-label={w.notices}
      aria-live="polite"
      aria-relevant="additions text"
      onMouseEnter={holdToasts}
      onMouseLeave={releaseToasts}
      onFocus={holdToasts}
      onBlur={releaseToasts}
    >
      {toasts.map(({ id, kind, text, times, action }) => {
        const Sign = signs[kind];
        return (
          <div key={id} className={styles.toast} data-kind={kind}>
            <Sign size={18} />
            <p className={styles.text}>
              {text}
              {times > 1 && <span className={styles.times}> ×{times}</span>}
            </p>
            {action && (
              <button
                type="button"
                className={styles.action}
                onClick={() => {
                  dismiss(id);
                  action.run();
                }}
              >
                {action.label}
              </button>
            )}
            <button type="button" className={styles.close} aria-label={w.close} onClick={() => dismiss(id)}>
              <IconClose size={14} />
            </button>
          </div>
        );
      })}
    </section>
  );
}
