import type { Store } from '../../core/store/store.ts';
import type { Alarms } from './alarms.ts';

export const STORE_ALARM = 'store_not_writable';

/** Raises an alarm while the store cannot be written, as a rule because the disk is full; it clears itself. */
export function followStore(alarms: Alarms, store: Store): void {
  alarms.deactivate(STORE_ALARM); // of a run that ended before it could take it back: this one could open the store
  store.onTrouble((trouble) => {
    if (trouble === null) {
      alarms.deactivate(STORE_ALARM);
      return;
    }
    const why = trouble.cause instanceof Error ? trouble.cause.message : trouble.message;
    alarms.activate(
      STORE_ALARM,
      'the data folder cannot be written; is the disk full? Make room: writing is tried again by itself',
      { folder: store.folder, reason: why },
    );
  });
}
