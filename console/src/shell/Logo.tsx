/** Three meters, one of them at its mark. */
export function Logo({ size = 26 }: { size?: number }) {
  return (
    <svg viewBox="0 0 32 32" width={size} height={size} aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="7" fill="var(--accent-soft)" />
      <path
        d="M8 23V9m8 14v-8m8 8V12"
        fill="none"
        stroke="var(--accent)"
        strokeWidth="3.5"
        strokeLinecap="round"
      />
      <circle cx="16" cy="9.5" r="2.2" fill="var(--accent)" />
    </svg>
  );
}
