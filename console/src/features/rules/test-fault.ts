import type { ApiError } from '../../api/api-error.ts';
import { sentenceOf } from '../../api/report.ts';
import type { Words } from '../../i18n/words.ts';
import type { testWords } from './test-words.ts';

type W = Words<typeof testWords>;

/** What a test that gave no result says, in words: the API names the part of the statement and a reason. */
export function faultText(error: ApiError, w: W): string {
  if (error.code === 'NOT_MATCH') return w.notMatch;
  const told = read(error.message);
  if (!told) return sentenceOf(error);
  const place = placeWord(told.stage, w);
  const reason = reasonText(told.reason, w);
  return w.failed({ reason: place === undefined ? reason : `${reason} (${place})` });
}

function read(message: string): { stage: string; reason: unknown } | null {
  try {
    const value: unknown = JSON.parse(message);
    if (typeof value !== 'object' || value === null) return null;
    const [first] = Object.entries(value);
    return first?.[0].endsWith('_error') || first?.[0] === 'lex_error'
      ? { stage: first[0], reason: first[1] }
      : null;
  } catch {
    return null; // a sentence, as of a syntax error
  }
}

function placeWord(stage: string, w: W): string | undefined {
  switch (stage) {
    case 'select_and_transform_error':
      return w.inSelect;
    case 'match_conditions_error':
      return w.inWhere;
    case 'select_and_collect_error':
      return w.inForeach;
    case 'match_incase_error':
      return w.inIncase;
    case 'doeach_error':
      return w.inDo;
    default:
      return undefined;
  }
}

function reasonText(reason: unknown, w: W): string {
  if (reason === 'decode_json_failed') return w.notJson;
  if (reason === 'badarith') return w.badArithmetic;
  if (typeof reason !== 'object' || reason === null) return String(reason);
  const { reason: kind, function_name: name, arguments: args } = reason as Record<string, unknown>;
  if (kind === 'sql_function_not_supported') return w.noFunction({ name: String(name) });
  if (kind !== 'bad_sql_function_argument') return JSON.stringify(reason);
  const values = Array.isArray(args) ? args.map((one) => JSON.stringify(one)).join(', ') : '';
  return w.badArgument({ name: String(name), values });
}
