import type { SysmonSettings } from '@mqdeck/contract/sysmon';

/** A watermark that is not below the other: with each look an alarm would begin and end. */
export function orderFault({ os, vm }: SysmonSettings): { path: string[]; reason: string } | null {
  const pairs = [
    ['os', 'cpu', os.cpu_low_watermark, os.cpu_high_watermark],
    ['vm', 'process', vm.process_low_watermark, vm.process_high_watermark],
  ] as const;
  for (const [part, name, low, high] of pairs)
    if (Number.parseFloat(low) >= Number.parseFloat(high))
      return {
        path: [part, `${name}_low_watermark`],
        reason: `(${low}) must be below ${name}_high_watermark (${high})`,
      };
  return null;
}
