import { ReasonCode } from '@mqdeck/mqtt/reason-codes';
import type { Fault } from './faults.ts';

const FIRST_MS = 1000;
const LAST_MS = 30_000;

/** Doubled each time, and somewhere in its upper half, so that a thousand tabs do not come back in the same second. */
export function backoffMs(attempt: number, random: () => number): number {
  const whole = Math.min(LAST_MS, FIRST_MS * 2 ** Math.min(attempt, 16));
  return Math.round(whole / 2 + (random() * whole) / 2);
}

/** Reasons of a server that may be gone a moment later. The others ask a person to do something first. */
const passing = new Set<number>([
  ReasonCode.UnspecifiedError,
  ReasonCode.ImplementationSpecificError,
  ReasonCode.ServerUnavailable,
  ReasonCode.ServerBusy,
  ReasonCode.ServerShuttingDown,
  ReasonCode.KeepAliveTimeout,
  ReasonCode.MessageRateTooHigh,
  ReasonCode.ConnectionRateExceeded,
  ReasonCode.MaximumConnectTime,
]);
const RETURN_CODE_SERVER_UNAVAILABLE = 3;

/** Whether trying again by itself makes sense. After 0x8E two clients would throw each other out for ever. */
export function isPassing(fault: Fault): boolean {
  switch (fault.kind) {
    case 'lost':
    case 'closedEarly':
    case 'unreachable':
    case 'notMqtt': // a proxy whose broker is restarting
    case 'timeout':
    case 'noPingResponse':
      return true;
    case 'ended':
      return passing.has(fault.reasonCode);
    case 'refused':
      return fault.version === 5
        ? passing.has(fault.reasonCode)
        : fault.reasonCode === RETURN_CODE_SERVER_UNAVAILABLE;
    default:
      return false;
  }
}
