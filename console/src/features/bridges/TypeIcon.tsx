import { Drawing } from '../../ui/Drawing.tsx';
import { IconMqtt, type IconProps } from '../../ui/icons.tsx';
import { type GroupId, groupOf } from './kinds.ts';

/** One for each group of types. */
const DRAWINGS: Readonly<Record<GroupId, readonly string[]>> = {
  services: [
    'M3.5 12a8.5 8.5 0 1 0 17 0a8.5 8.5 0 1 0-17 0',
    'M3.5 12h17M12 3.5c4.500 5 4.500 12 0 17M12 3.5c-4.500 5-4.500 12 0 17',
  ],
  streams: ['M4 7h10M4 12h16M4 17h7', 'M17 5l3 2-3 2M14 15l3 2-3 2'],
  databases: [
    'M5 6c0-3.500 14-3.500 14 0s-14 3.500-14 0zM5 6v12c0 3.500 14 3.500 14 0V6M5 12c0 3.500 14 3.500 14 0',
  ],
  stores: ['M12 3l8 4-8 4-8-4zM4 12l8 4 8-4M4 17l8 4 8-4'],
  series: ['M4 4v16h16', 'M7 15l4-5 3 3 5-7'],
};
const UNKNOWN = ['M5 5h14v14H5z', 'M9 12h6'];

export function TypeIcon({ type, ...rest }: IconProps & { type: string }) {
  if (type === 'mqtt') return <IconMqtt {...rest} />;
  const group = groupOf(type);
  return <Drawing shapes={group ? DRAWINGS[group] : UNKNOWN} {...rest} />;
}
