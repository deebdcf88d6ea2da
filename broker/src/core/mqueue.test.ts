import { expect, test } from 'vitest';
import { Delivery } from './delivery.ts';
import { newMessage } from './message.ts';
import { Mqueue } from './mqueue.ts';

const message = newMessage('t', 'x', { timestamp: 0 });

test('a place in a long queue is found by looking at a few of its deliveries', () => {
  const mqueue = new Mqueue();
  let looks = 0;
  for (let place = 1; place <= 20_000; place++) {
    const delivery = new Delivery(message, null, 0, 1, false, place);
    Object.defineProperty(delivery, 'order', {
      get() {
        looks++;
        return place;
      },
    });
    mqueue.put(delivery, 0);
    if (place % 2 === 0) mqueue.shift(); // the ring has turned
  }
  const page = mqueue.after({ priority: 0, order: 15_000 }, 3);
  expect(looks).toBeLessThan(20);
  expect(page.map(({ delivery }) => delivery.order)).toEqual([15_001, 15_002, 15_003]);
  expect(mqueue.after({ priority: 0, order: 5 }, 1)[0]?.delivery.order).toBe(10_001); // the head has moved on
  expect(mqueue.after({ priority: 0, order: 20_000 }, 1)).toEqual([]);
});
