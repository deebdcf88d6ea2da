/** The search part of an address: flat, every value a text, a repeated key a list. No JSON, so links stay readable. */
export type Search = Record<string, string | string[]>;

export function parseSearch(text: string): Search {
  const search: Search = {};
  for (const [key, value] of new URLSearchParams(text)) {
    const before = search[key];
    search[key] = before === undefined ? value : Array.isArray(before) ? [...before, value] : [before, value];
  }
  return search;
}

export function searchText(search: Readonly<Record<string, unknown>>): string {
  const params = new URLSearchParams();
  for (const [key, value] of Object.entries(search)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null && one !== '') params.append(key, String(one));
    }
  }
  return params.size === 0 ? '' : `?${params}`;
}
