import './outages.test.ts';
