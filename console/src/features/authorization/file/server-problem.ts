import type { ApiError } from '../../../api/api-error.ts';
import type { Problem } from '../../../editor/problem.ts';

/**
 * Where a broker's refusal points to: ours says `line 3, column 5: …`, EMQX the term of its parser,
 * `{bad_acl_file_content,{3,erl_parse,…}}`.
 */
export function serverProblem(message: string | undefined): Problem | undefined {
  const [, line, column, why] = /\bline (\d+)(?:, column (\d+))?:? ?(.*)/s.exec(message ?? '') ?? [];
  const [, erlang] = /bad_acl_file_content,\{(\d+)/.exec(message ?? '') ?? [];
  const at = Number(line ?? erlang);
  if (!message || !Number.isInteger(at) || at < 1) return undefined;
  return { line: at, ...(column === undefined ? {} : { column: Number(column) }), text: why || message };
}

/** A refusal that names a line is about the rules. */
export function fileFault({ message, faults }: ApiError): { field: string; text: string } | undefined {
  const said = faults[0]?.reason ?? message;
  return typeof said === 'string' && serverProblem(said) ? { field: 'rules', text: said } : undefined;
}
