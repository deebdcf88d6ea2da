import './databases.test.ts';
