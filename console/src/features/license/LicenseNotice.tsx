import { Button, Checkbox, Modal } from '@mantine/core';
import { EVALUATION, license } from '@mqdeck/contract/license';
import { useState } from 'react';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { localTexts } from '../../browser-storage.ts';
import { useWords } from '../../i18n/words.ts';
import { visibleText } from '../../ui/visible-text.ts';
import styles from './license.module.css';
import { allowedBy } from './terms.ts';
import { words } from './words.ts';

/** In localStorage: `false` once somebody has read enough of a trial. */
const TIP = 'licenseTipVisible';

/** Once after the console was opened: that the license is over, or that this is a trial. */
export function LicenseNotice() {
  const w = useWords(words);
  const { data } = useEndpoint(license.get, {}, { progress: false, quiet: true });
  const [read, setRead] = useState(false);
  const [notAgain, setNotAgain] = useState(false);
  if (!data || read) return null;
  const { expiry, expiry_at } = data;
  const isTrial = data.customer_type === EVALUATION && localTexts.get(TIP) !== 'false';
  if (!expiry && !isTrial) return null;
  const day = visibleText(expiry_at);
  const close = () => {
    if (notAgain) localTexts.set(TIP, 'false');
    setRead(true);
  };
  return (
    <Modal
      opened
      onClose={close}
      title={expiry ? w.noticeExpired({ day }) : w.noticeTrial({ day })}
      size={460}
      closeButtonProps={{ 'aria-label': w.close }}
    >
      <div className={styles.form}>
        <p>{expiry ? w.noticeExpiredText : w.noticeTrialText({ count: allowedBy(data) ?? 0 })}</p>
        {!expiry && (
          <Checkbox
            label={w.notAgain}
            checked={notAgain}
            onChange={(event) => setNotAgain(event.currentTarget.checked)}
          />
        )}
        <div className={styles.buttons}>
          <Button variant="filled" data-autofocus onClick={close}>
            {w.close}
          </Button>
        </div>
      </div>
    </Modal>
  );
}
