/** A module as text, for a worker; see scripts/worker-source.mjs. */
declare module '*?source' {
  const text: string;
  export default text;
}
