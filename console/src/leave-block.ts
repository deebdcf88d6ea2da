import { useBlocker } from '@tanstack/react-router';

/** Holds back a change of page until `mayLeave` agrees. Filters of the same page and the end of a session pass. */
export function useLeaveBlock(blocked: boolean, mayLeave: () => Promise<boolean>): void {
  useBlocker({
    disabled: !blocked,
    enableBeforeUnload: false, // the form does that itself, also where there is no router
    shouldBlockFn: async ({ current, next }) => {
      if (next.pathname === current.pathname || next.pathname.endsWith('/login')) return false;
      return !(await mayLeave());
    },
  });
}
