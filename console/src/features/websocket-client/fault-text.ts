import type { ProtocolVersion } from '@mqdeck/mqtt/packets';
import { getLanguage } from '../../i18n/language.ts';
import { wordsIn } from '../../i18n/words.ts';
import { formatNumber } from '../../ui/format.ts';
import { shortText } from '../../ui/short-text.ts';
import type { Fault, Said } from './engine/faults.ts';
import { reasonWords } from './reason-words.ts';
import { words } from './words.ts';

const hexOf = (code: number): string => `0x${code.toString(16).toUpperCase().padStart(2, '0')}`;

/** A reason code in words, with its number. Before version 5 an acknowledgement knows only 0x80. */
export function reasonText(code: number, version: ProtocolVersion = 5): string {
  const w = wordsIn(reasonWords, getLanguage());
  const key = `x${code.toString(16).padStart(2, '0')}`;
  if (version < 5 && code >= 0x80) return w.withCode({ text: w.failure, code: hexOf(code) });
  const text = key in reasonWords ? String(w[key as keyof typeof w]) : w.unknown;
  return w.withCode({ text, code: hexOf(code) });
}

/** The return code of a CONNACK in 3.1 and 3.1.1. */
function returnText(code: number): string {
  const w = wordsIn(reasonWords, getLanguage());
  const key = `return${code}`;
  const text = key in reasonWords ? String(w[key as keyof typeof w]) : w.unknown;
  return w.withCode({ text, code: String(code) });
}

function saidText({ version, reasonCode, reasonString, serverReference }: Said, isConnack: boolean): string {
  const w = wordsIn(words, getLanguage());
  const parts = [isConnack && version < 5 ? returnText(reasonCode) : reasonText(reasonCode, version)];
  if (reasonString) parts.push(w.serverSays({ text: shortText(reasonString) }));
  if (serverReference) parts.push(w.serverReference({ text: shortText(serverReference) }));
  return parts.join(w.sentenceEnd);
}

/** Why there is no connection, or why something was not done, for the operator who has to mend it. */
export function faultText(fault: Fault): string {
  const language = getLanguage();
  const w = wordsIn(words, language);
  switch (fault.kind) {
    case 'refused':
      return w.refusedBy({ reason: saidText(fault, true) });
    case 'ended':
      return w.endedBy({ reason: saidText(fault, false) });
    case 'protocol':
      return w.protocol({ reason: reasonText(fault.reasonCode) });
    case 'timeout':
      return w.timeout({ seconds: fault.seconds });
    case 'noPingResponse':
      return w.noPingResponse({ seconds: fault.seconds });
    case 'closedEarly':
    case 'lost':
      return w[fault.kind]({ code: String(fault.closeCode) });
    case 'tooLarge':
      return w.tooLarge({ bytes: formatNumber(fault.bytesMax, language) });
    case 'qosTooHigh':
      return w.qosTooHigh({ qos: fault.qosMax });
    case 'aliasTooHigh':
      return fault.aliasMax === 0 ? w.noAliases : w.aliasTooHigh({ max: fault.aliasMax });
    default:
      return w[fault.kind];
  }
}
