import type { KeyStore } from './cipher.ts';

const DATABASE = 'mqdeck';
const STORE = 'keys';
const KEY = 'session';

/** The key in IndexedDB, the only store of a browser that takes a key no script can read. */
export const indexedDbKeys: KeyStore = {
  get: () => inStore('readonly', (store) => store.get(KEY)),
  async put(key) {
    await inStore('readwrite', (store) => store.put(key, KEY));
  },
};

function inStore(mode: IDBTransactionMode, act: (store: IDBObjectStore) => IDBRequest): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open(DATABASE, 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore(STORE);
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      const database = opening.result;
      const transaction = database.transaction(STORE, mode);
      const asked = act(transaction.objectStore(STORE));
      transaction.oncomplete = () => {
        database.close();
        resolve(asked.result);
      };
      transaction.onerror = () => {
        database.close();
        reject(transaction.error);
      };
    };
  });
}
