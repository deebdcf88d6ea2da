/** Bytes that all peers of a gateway may have waiting together: whoever wants more than is left is refused. */
export class Budget {
  private left: number;

  constructor(bytes: number) {
    this.left = bytes;
  }

  take(bytes: number): boolean {
    if (bytes > this.left) return false;
    this.left -= bytes;
    return true;
  }

  give(bytes: number): void {
    this.left += bytes;
  }
}
