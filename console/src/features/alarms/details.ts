import { visibleText } from '../../ui/visible-text.ts';

/** What an alarm adds to its message, as `name: value` pairs; whatever a broker of another version sends. */
export function detailsText(details: unknown): string {
  if (details === null || details === undefined) return '';
  if (typeof details !== 'object') return visibleText(String(details));
  return Object.entries(details)
    .map(([name, value]) =>
      visibleText(`${name}: ${typeof value === 'object' ? JSON.stringify(value) : value}`),
    )
    .join(' · ');
}
