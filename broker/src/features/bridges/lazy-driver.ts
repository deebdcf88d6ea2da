import { DeliveryError, type Driver, type DriverFactory } from '../../resources/driver.ts';

/** A driver that is made when it is opened for the first time: its module is loaded then. */
export const lazyDriver =
  <Config>(load: () => Promise<DriverFactory<Config>>): DriverFactory<Config> =>
  (config, context) => {
    let driver: Driver | null = null;
    const opened = (): Driver => {
      if (driver === null) throw new DeliveryError('it is not open', true);
      return driver;
    };
    return {
      async open(signal) {
        const make = await load();
        signal.throwIfAborted(); // closed while the module was loading
        driver ??= make(config, context);
        await driver.open(signal);
      },
      check: async (signal) => opened().check(signal),
      deliver: async (rows, signal) => opened().deliver(rows, signal),
      close: async () => driver?.close(),
    };
  };
