import { parseShared } from '@mqdeck/mqtt/topics';
import { paths } from '../../paths.ts';
import { searchText } from '../../search-text.ts';

/**
 * The list of those subscribed to a filter. The API finds shared subscriptions only by their group or by what they
 * match, so these are asked for by both.
 */
export function subscribersOf(filter: string): string {
  const shared = parseShared(filter);
  const search = shared ? { match_topic: shared.filter, share_group: shared.group } : { topic: filter };
  return paths.subscriptions() + searchText(search);
}

/** The group of a shared filter; undefined where it is not shared. */
export const shareGroupOf = (filter: string): string | undefined => parseShared(filter)?.group;
