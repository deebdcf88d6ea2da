import './sequences.test.ts';
