/** The path prefix the console lives under, with a slash at both ends. The server writes it into index.html. */
export const basePath = (): string =>
  document.querySelector<HTMLMetaElement>('meta[name="mqdeck-base"]')?.content ?? '/';

/** The same without the slash at the end: empty at the root. */
export const basePrefix = (): string => basePath().replace(/\/$/, '');
