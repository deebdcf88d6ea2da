import { vi } from 'vitest';

/** A file that a page has handed to the browser's downloads. */
export interface Download {
  name: string;
  file: Blob;
}

/** Collects the downloads of a test from here on. The window of a test would follow their links, so none is followed. */
export function watchDownloads(): Download[] {
  const downloads: Download[] = [];
  const files = new Map<string, Blob>();
  vi.spyOn(URL, 'createObjectURL').mockImplementation((file) => {
    const url = `blob:test/${files.size + 1}`;
    files.set(url, file as Blob);
    return url;
  });
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    const file = files.get(this.href);
    if (file) downloads.push({ name: this.download, file });
  });
  return downloads;
}
