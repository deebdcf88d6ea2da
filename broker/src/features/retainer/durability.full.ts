import './durability.test.ts';
