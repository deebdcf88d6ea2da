import { useRouter } from '@tanstack/react-router';
import type { AnchorHTMLAttributes, MouseEvent } from 'react';
import { basePrefix } from './base.ts';

export interface LinkProps extends Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href'> {
  /** An address of `paths`. */
  to: string;
}

/**
 * A link inside the console. A real anchor, so that the middle button, Ctrl and the context menu work as everywhere; the
 * address goes to the router as it is, because an id in it is already encoded.
 */
export function Link({ to, onClick, onMouseEnter, onFocus, target, ...rest }: LinkProps) {
  const router = useRouter();
  const href = basePrefix() + to;
  const go = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    const plain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (event.defaultPrevented || !plain || (target && target !== '_self')) return;
    event.preventDefault();
    router.history.push(href);
  };
  /** The code of the page is fetched while the pointer rests on the link. */
  const preload = () => {
    for (const route of router.getMatchedRoutes(new URL(to, window.location.origin).pathname)[0]) {
      const component = route.options.component as { preload?: () => Promise<unknown> } | undefined;
      // A page that cannot be fetched now says so when it is opened.
      void component?.preload?.().catch(() => undefined);
    }
  };
  return (
    <a
      {...rest}
      {...(target ? { target } : {})}
      href={href}
      onClick={go}
      onMouseEnter={(event) => {
        preload();
        onMouseEnter?.(event);
      }}
      onFocus={(event) => {
        preload();
        onFocus?.(event);
      }}
    />
  );
}
