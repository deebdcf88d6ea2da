import { PostgreSQL, sql } from '@codemirror/lang-sql';

export const language = sql({ dialect: PostgreSQL, upperCaseKeywords: true });
