import { SQLDialect, sql } from '@codemirror/lang-sql';

/** SQL of rules: few words of its own, `'texts'`, "columns" and `-- comments`. */
const RuleSql = SQLDialect.define({
  keywords: 'select from where foreach do incase as and or not in case when then else end div mod',
  builtin: '',
  types: 'true false',
});

export const language = sql({ dialect: RuleSql, upperCaseKeywords: true });
