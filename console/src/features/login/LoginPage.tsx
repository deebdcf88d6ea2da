import { useEffect, useRef, useState } from 'react';
import { getSession, onSessionChange } from '../../api/session.ts';
import { useConsoleInfo } from '../../api/use-console-info.ts';
import { useWords } from '../../i18n/words.ts';
import { Link } from '../../Link.tsx';
import { navigate } from '../../navigate.ts';
import { paths } from '../../paths.ts';
import { safeTarget } from '../../safe-target.ts';
import { Logo } from '../../shell/Logo.tsx';
import { LookSwitches } from '../../shell/LookSwitches.tsx';
import { ServerNotice, StorageNotice } from '../../shell/PageNotices.tsx';
import { useUrlState } from '../../url-state.ts';
import { ChangeDefaultPassword } from './ChangeDefaultPassword.tsx';
import styles from './LoginPage.module.css';
import { SignInForm } from './SignInForm.tsx';
import { isDefaultPassword, signIn } from './sign-in.ts';
import { words } from './words.ts';

/** Signs in; with the default password it first asks for a better one. */
export function LoginPage() {
  const w = useWords(words);
  const { values } = useUrlState();
  const target = safeTarget(typeof values.to === 'string' ? values.to : undefined);
  const [reminded, setReminded] = useState<{ username: string; password: string } | null>(null);
  const info = useConsoleInfo();
  /** The way out is decided: the address changes under this page before it is gone, and must not lead elsewhere. */
  const leaving = useRef(false);

  useEffect(() => {
    document.title = `${w.title} · mqdeck`;
  }, [w]);

  // Who is signed in already, or signs in in another tab, has nothing to do here.
  useEffect(() => {
    const leave = () => {
      if (getSession() === null || leaving.current) return;
      leaving.current = true;
      navigate(target, 'replace');
    };
    leave();
    return onSessionChange(leave);
  }, [target]);

  const submit = async (username: string, password: string) => {
    leaving.current = true;
    try {
      await signIn(username, password);
    } catch (error) {
      leaving.current = false;
      throw error;
    }
    if (isDefaultPassword(username, password)) setReminded({ username, password });
    else navigate(target, 'replace');
  };
  return (
    <div className={styles.page}>
      <header className={styles.switches}>
        <LookSwitches />
      </header>
      <main className={styles.main}>
        <div className={styles.card}>
          <div className={styles.brand}>
            <Logo size={34} />
            <span>mqdeck</span>
          </div>
          {info?.mode === 'upstream' && (
            <p className={styles.cluster}>{w.cluster({ upstream: info.upstream })}</p>
          )}
          {reminded ? (
            <ChangeDefaultPassword {...reminded} done={() => navigate(target, 'replace')} />
          ) : (
            <SignInForm submit={submit} />
          )}
          <div className={styles.notices}>
            <ServerNotice />
            <StorageNotice />
          </div>
        </div>
      </main>
      <footer className={styles.footer}>
        {info && <span>mqdeck {info.version}</span>}
        <Link to={paths.help()}>{w.help}</Link>
      </footer>
    </div>
  );
}
