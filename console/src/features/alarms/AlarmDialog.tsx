import { Modal } from '@mantine/core';
import type { Alarm } from '@mqdeck/contract/alarms';
import { alarmText } from '../../alarm-text.ts';
import { useLanguage, useWords } from '../../i18n/words.ts';
import { Facts } from '../../ui/Facts.tsx';
import { AbsoluteTime } from '../../ui/RelativeTime.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { detailsText } from './details.ts';
import { words } from './words.ts';

/** All of an alarm, where a row has room for its beginning; also in the broker's own words. */
export function AlarmDialog({ alarm, onClose }: { alarm: Alarm | undefined; onClose: () => void }) {
  const w = useWords(words);
  const language = useLanguage();
  return (
    <Modal
      opened={alarm !== undefined}
      onClose={onClose}
      size="lg"
      title={<bdi>{visibleText(alarm?.name ?? '')}</bdi>}
      closeButtonProps={{ 'aria-label': w.close }}
    >
      {alarm && (
        <Facts
          columnWidth={480}
          facts={[
            { label: w.message, value: alarmText(alarm, language) },
            { label: w.own, value: visibleText(alarm.message) },
            { label: w.details, value: detailsText(alarm.details) },
            { label: w.node, value: visibleText(alarm.node) },
            { label: w.activate_at, value: <AbsoluteTime at={alarm.activate_at} /> },
            ...(alarm.deactivate_at === undefined
              ? []
              : [{ label: w.deactivate_at, value: <AbsoluteTime at={alarm.deactivate_at} /> }]),
          ]}
        />
      )}
    </Modal>
  );
}
