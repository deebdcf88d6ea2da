/** True in `npm run test:full`, where long tests do all that they can; `npm test` does a short part of each. */
export const isFull = process.env.MQDECK_FULL === '1';
