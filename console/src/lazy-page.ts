import { lazyRouteComponent, type RouteComponent } from '@tanstack/react-router';

/** SPEC 9: a part of the console that has not arrived after so long is given up, and the page says so. */
export const CHUNK_TIMEOUT_MS = 120_000;

/** A page's component, loaded when it is first shown. */
export function lazyPage<K extends string>(
  load: () => Promise<Record<K, RouteComponent>>,
  name: K,
): RouteComponent {
  return lazyRouteComponent<Record<K, RouteComponent>, K>(() => within(load()), name);
}

function within<T>(loading: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(
      () => reject(new Error(`this part of the console did not arrive in ${CHUNK_TIMEOUT_MS / 1000} s`)),
      CHUNK_TIMEOUT_MS,
    );
    loading.then(resolve, reject).finally(() => clearTimeout(late));
  });
}
