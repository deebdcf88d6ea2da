import { type CompiledRule, compileRule } from '@mqdeck/contract/acl/match';
import { parseAclFile } from '@mqdeck/contract/acl/parse-file';
import type { FileSource } from '@mqdeck/contract/authorization';
import { BackendConfigError } from '../../backends/backend.ts';
import { compilePattern, PatternError } from './patterns.ts';
import { firstFit, NO_MATCH } from './rules.ts';
import type { Source, SourceVerdict } from './source.ts';

/** Rules of a text in the syntax of ACL files, compiled once. Throws BackendConfigError when it cannot be read. */
export function openFileSource({ rules: text }: FileSource): Source {
  const { rules, faults } = parseAclFile(text);
  if (faults[0]) throw faultAt(faults[0].line, faults[0].column, faults[0].message);
  const compiled: CompiledRule[] = rules.map(({ rule, line }) => {
    try {
      return compileRule(rule, compilePattern);
    } catch (cause) {
      if (!(cause instanceof PatternError)) throw cause;
      throw faultAt(line, 1, cause.message);
    }
  });
  // Made once: the same rule says the same each time
  const verdicts = rules.map(
    ({ rule, line, text: written }, i): SourceVerdict => ({
      result: rule.permission,
      why: `line ${line}: ${written}`,
      rule: { index: i + 1, line, text: written },
    }),
  );
  return {
    authorize: (who, request) => verdicts[firstFit(compiled, who, request)] ?? NO_MATCH,
    status: 'connected',
    reason: null,
    resourceMetrics: null,
    close: () => Promise.resolve(),
  };
}

const faultAt = (line: number, column: number, message: string): BackendConfigError =>
  new BackendConfigError('rules', `line ${line}, column ${column}: ${message}`);
