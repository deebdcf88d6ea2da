import { api } from '@mqdeck/contract/api';
import type { Listener } from '@mqdeck/contract/listeners';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { useLanguage, useWords } from '../../i18n/words.ts';
import { Link } from '../../Link.tsx';
import { paths } from '../../paths.ts';
import { Facts } from '../../ui/Facts.tsx';
import { formatNumber } from '../../ui/format.ts';
import { IconWarn } from '../../ui/icons.tsx';
import { State } from '../../ui/State.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { CertificateEnd } from './Certificate.tsx';
import { formWords } from './form-words.ts';
import styles from './listeners.module.css';
import { words } from './words.ts';

/** How the listener that is edited stands at the moment. */
export function ListenerFacts({ id, listener }: { id: string; listener: Listener }) {
  const w = useWords(words);
  const fw = useWords(formWords);
  const language = useLanguage();
  const { data } = useEndpoint(api.listeners.get, { params: { id } }, { quiet: true, progress: false });
  const { running, current_connections, certificate, failure } = data ?? listener;
  return (
    <section className={styles.now} aria-label={fw.facts}>
      {failure && (
        <p className={styles.failure} role="alert">
          <IconWarn size={16} />
          {fw.failure({ reason: visibleText(failure) })}
        </p>
      )}
      <Facts
        columnWidth={140}
        facts={[
          { label: w.state, value: <State is={running ? 'running' : 'stopped'} wanted={listener.enable} /> },
          { label: fw.connectionsNow, value: formatNumber(current_connections, language) },
          ...(certificate
            ? [{ label: w.certificate, value: <CertificateEnd certificate={certificate} /> }]
            : []),
          {
            label: w.authentication,
            value: <Link to={paths.listenerAuthentication(id)}>{w.showAuthentication}</Link>,
          },
        ]}
      />
      {certificate && (
        <p className={styles.certificate}>
          <bdi>{visibleText(certificate.subject)}</bdi>
          {' · '}
          {certificate.own
            ? fw.ownCertificate
            : certificate.self_signed
              ? fw.selfSigned
              : fw.issuedBy({ issuer: visibleText(certificate.issuer) })}
        </p>
      )}
    </section>
  );
}
