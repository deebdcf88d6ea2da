import './dtls.test.ts';
