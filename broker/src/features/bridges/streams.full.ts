import './streams.test.ts';
