import { afterEach, expect, test, vi } from 'vitest';
import { isStorageBlocked, localTexts, tabTexts } from './browser-storage.ts';

afterEach(() => {
  vi.restoreAllMocks();
  localStorage.clear();
  sessionStorage.clear();
});

test('texts are kept by the browser under their own names', () => {
  localTexts.set('theme', 'light');
  tabTexts.set('forms', '[]');
  expect([localStorage.getItem('theme'), sessionStorage.getItem('forms')]).toEqual(['light', '[]']);
  localStorage.setItem('theme', 'dark'); // by another tab
  expect(localTexts.get('theme')).toBe('dark');
  localTexts.remove('theme');
  expect(localTexts.get('theme')).toBeNull();
});

test('what a full or blocked storage does not take lasts as long as the page', () => {
  vi.spyOn(console, 'warn').mockReturnValue();
  const refuse = () => {
    throw new DOMException('no', 'SecurityError');
  };
  vi.spyOn(window, 'localStorage', 'get').mockImplementation(refuse);
  expect(localTexts.get('language')).toBeNull();
  localTexts.set('language', 'zh');
  expect(localTexts.get('language')).toBe('zh');
  localTexts.remove('language');
  expect(localTexts.get('language')).toBeNull();
  localTexts.set('language', 'zh');
  expect(isStorageBlocked()).toBe(true);

  vi.restoreAllMocks(); // there is room again
  localTexts.set('language', 'en');
  expect([localTexts.get('language'), localStorage.getItem('language')]).toEqual(['en', 'en']);
});
