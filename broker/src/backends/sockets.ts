import type { Socket } from 'node:net';

/** The sockets a driver opened: closing ends every one, also those whose driver would wait for an answer. */
export class Sockets {
  private readonly open = new Set<Socket>();
  private readonly onClose: () => void;

  /** `onClose` hears of each that ended, whoever ended it. */
  constructor(onClose: () => void = () => undefined) {
    this.onClose = onClose;
  }

  add<S extends Socket>(socket: S): S {
    this.open.add(socket);
    socket.once('close', () => {
      this.open.delete(socket);
      this.onClose();
    });
    return socket;
  }

  destroy(): void {
    for (const socket of this.open) socket.destroy();
  }
}
