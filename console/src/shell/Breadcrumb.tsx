import { gatewayTitle } from '../gateway-names.ts';
import { useWords } from '../i18n/words.ts';
import { Link } from '../Link.tsx';
import { IconChevronRight } from '../ui/icons.tsx';
import { visibleText } from '../ui/visible-text.ts';
import styles from './Breadcrumb.module.css';
import { useCurrentPage } from './current-page.ts';
import { allPages, groupOf } from './menu.ts';
import { pageTitles } from './page-words.ts';
import { words } from './words.ts';

/** Group, page, thing. The page is a link once there is a thing behind it. */
export function Breadcrumb() {
  const w = useWords(words);
  const titles = useWords(pageTitles);
  const { id, thing: named } = useCurrentPage();
  const thing = named !== undefined && id === 'gateways' ? gatewayTitle(named) : named;
  const page = allPages.find((one) => one.id === id);
  if (!page) return <div className={styles.breadcrumb} />;
  const group = groupOf(page.id);
  return (
    <nav className={styles.breadcrumb} aria-label={w.breadcrumb}>
      <ol className={styles.steps}>
        {group && (
          <li className={styles.group}>
            <span>{w[group.id]}</span>
            <IconChevronRight size={13} />
          </li>
        )}
        <li className={styles.page}>
          {thing === undefined ? (
            <span aria-current="page">{titles[page.id]}</span>
          ) : (
            <>
              <Link to={page.path}>{titles[page.id]}</Link>
              <IconChevronRight size={13} />
            </>
          )}
        </li>
        {thing !== undefined && (
          <li className={styles.thing} aria-current="page" title={visibleText(thing)}>
            {visibleText(thing)}
          </li>
        )}
      </ol>
    </nav>
  );
}
