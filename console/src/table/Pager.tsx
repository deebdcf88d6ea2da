import { useWords } from '../i18n/words.ts';
import { IconChevronLeft, IconChevronRight } from '../ui/icons.tsx';
import { PAGE_SIZES } from './list-state.ts';
import { type Pager as PagerState, pageButtons } from './paging.ts';
import classes from './table.module.css';
import { words } from './words.ts';

/** Pages with numbers where the server counted, else only previous and next. */
export function Pager({
  pager,
  limit,
  onPage,
  onLimit,
}: {
  pager: PagerState;
  limit: number;
  onPage: (page: number) => void;
  onLimit: (limit: number) => void;
}) {
  const w = useWords(words);
  const { page, from, to } = pager;
  const hasNext = pager.kind === 'counted' ? page < pager.last : pager.hasNext;
  const sizes = PAGE_SIZES.some((size) => size === limit) ? PAGE_SIZES : [limit, ...PAGE_SIZES];
  const text =
    to === 0
      ? w.noRows
      : pager.kind === 'counted'
        ? w.span({ from, to, count: pager.count })
        : w.spanOpen({ from, to });
  return (
    <nav className={classes.pager} aria-label={w.pager}>
      <span className={classes.span} aria-live="polite">
        {text}
      </span>
      <select
        className={classes.select}
        aria-label={w.pageSize}
        value={limit}
        onChange={(event) => onLimit(Number(event.currentTarget.value))}
      >
        {sizes.map((size) => (
          <option key={size}>{size}</option>
        ))}
      </select>
      <button
        type="button"
        className={classes.iconButton}
        aria-label={w.previous}
        disabled={page <= 1}
        onClick={() => onPage(page - 1)}
      >
        <IconChevronLeft size={16} />
      </button>
      {pager.kind === 'counted' ? (
        pageButtons(page, pager.last).map((button, i) =>
          button === 'gap' ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: a gap is known by its place alone
            <span key={`gap${i}`} className={classes.gap}>
              …
            </span>
          ) : (
            <button
              key={button}
              type="button"
              className={classes.pageButton}
              aria-label={w.pageNumber({ page: button })}
              aria-current={button === page ? 'page' : undefined}
              onClick={() => onPage(button)}
            >
              {button}
            </button>
          ),
        )
      ) : (
        <span className={classes.pageAlone}>{page}</span>
      )}
      <button
        type="button"
        className={classes.iconButton}
        aria-label={w.next}
        disabled={!hasNext}
        onClick={() => onPage(page + 1)}
      >
        <IconChevronRight size={16} />
      </button>
    </nav>
  );
}
