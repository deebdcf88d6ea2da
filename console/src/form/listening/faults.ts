import type { ApiError } from '../../api/api-error.ts';
import type { Words } from '../../i18n/words.ts';
import { visibleText } from '../../ui/visible-text.ts';
import type { listeningWords } from './words.ts';

/** The field of the TLS option that a sentence of the broker speaks of first. */
const TLS_FIELDS: Readonly<Record<string, string>> = {
  cipher: 'ssl_options.ciphers',
  cacertfile: 'ssl_options.cacertfile',
  keyfile: 'ssl_options.keyfile',
  key: 'ssl_options.keyfile',
  certfile: 'ssl_options.certfile',
  certificate: 'ssl_options.certfile',
};
const TLS_OPTION = /\b(?:cipher|cacertfile|keyfile|key|certfile|certificate)\b/i;

/** What the broker could not do, said beside the field it is about. */
export function listeningFault(
  { message }: ApiError,
  w: Words<typeof listeningWords>,
): { field: string; text: string } | undefined {
  if (/eaddrinuse|uses this port/.test(message)) return { field: 'bind', text: w.portUsed };
  if (/eaddrnotavail|no such address/.test(message)) return { field: 'bind', text: w.notHere };
  if (/eacces|needs more rights/.test(message)) return { field: 'bind', text: w.notAllowed };
  if (/nxdomain|knows this name/.test(message)) return { field: 'bind', text: w.notKnown };
  const option = TLS_OPTION.exec(message)?.[0].toLowerCase();
  if (option === undefined) return undefined;
  return { field: TLS_FIELDS[option]!, text: w.refused({ reason: visibleText(message) }) };
}
