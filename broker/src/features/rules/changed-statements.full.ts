import './changed-statements.test.ts';
