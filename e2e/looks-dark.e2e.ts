import { features } from './looks/features.ts';
import { sweep } from './looks/sweep.ts';

sweep({ language: 'en', theme: 'dark' }, features);
