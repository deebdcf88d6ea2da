/** How long after a deed its row may take to leave the list. */
const WATCHED_MS = 15_000;

/**
 * Notes what has the focus now and returns the way to give it back. Should that thing go within the next seconds, as
 * the row of a client that was kicked out does, the focus goes to the nearest region around it and not to the body.
 */
export function keepFocus(): () => void {
  const from = document.activeElement;
  if (!(from instanceof HTMLElement) || from === document.body) return () => undefined;
  const around = ancestorsOf(from);
  return () => {
    if (!from.isConnected) {
      focusNearest(around);
      return;
    }
    from.focus();
    let disabled = false;
    const watch = new MutationObserver(() => {
      if (!from.isConnected) {
        clearTimeout(timer);
        watch.disconnect();
        // Only a focus that fell to the body is lost; elsewhere somebody has put it.
        if (isLost()) focusNearest(around);
        return;
      }
      // A button is disabled while its deed is under way, and browsers take the focus away from such.
      const wasDisabled = disabled;
      disabled = from.matches(':disabled');
      if (wasDisabled && !disabled && isLost()) from.focus();
    });
    const timer = setTimeout(() => watch.disconnect(), WATCHED_MS);
    watch.observe(document.body, {
      childList: true,
      subtree: true,
      attributes: true,
      attributeFilter: ['disabled'],
    });
  };
}

const isLost = () => document.activeElement === null || document.activeElement === document.body;

function ancestorsOf(element: HTMLElement): HTMLElement[] {
  const above = element.parentElement;
  return above ? [above, ...ancestorsOf(above)] : [];
}

/** Around a row: the region of the list. Where nothing around can have the focus, the page's own part has it. */
function focusNearest(around: readonly HTMLElement[]): void {
  const place =
    around.find((one) => one.isConnected && one.hasAttribute('tabindex')) ?? document.querySelector('main');
  if (!(place instanceof HTMLElement)) return;
  if (!place.hasAttribute('tabindex')) place.tabIndex = -1;
  place.focus();
}
