/** The package has no types of its own. */
declare module 'snappyjs' {
  const snappy: {
    compress(bytes: Uint8Array): Uint8Array;
    uncompress(bytes: Uint8Array, maxLength?: number): Uint8Array;
  };
  export default snappy;
}
