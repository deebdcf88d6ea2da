import { Button } from '@mantine/core';
import type { Endpoint } from '@mqdeck/contract/kit/endpoint';
import type { Page } from '@mqdeck/contract/kit/page';
import { useEffect, useMemo, useState } from 'react';
import { sentenceInPlace } from '../../../api/report.ts';
import { useAction } from '../../../api/use-action.ts';
import { useEndpoint } from '../../../api/use-endpoint.ts';
import { useLanguage, useWords } from '../../../i18n/words.ts';
import { FilterBar } from '../../../table/FilterBar.tsx';
import { textFilter } from '../../../table/filters.ts';
import { filterBy, goTo, queryOf, readList, resize, withoutFilters } from '../../../table/list-state.ts';
import { NoMatch } from '../../../table/NoMatch.tsx';
import { Pager } from '../../../table/Pager.tsx';
import { pageInstead, pagerOf } from '../../../table/paging.ts';
import { useTableState } from '../../../table/table-host.tsx';
import { CopyButton } from '../../../ui/Copyable.tsx';
import { EmptyState } from '../../../ui/EmptyState.tsx';
import { ErrorState } from '../../../ui/ErrorState.tsx';
import { formatNumber } from '../../../ui/format.ts';
import { IconChevronDown, IconChevronRight, IconEdit, IconPlus, IconTrash } from '../../../ui/icons.tsx';
import { SkeletonRows } from '../../../ui/Skeleton.tsx';
import { visibleText } from '../../../ui/visible-text.ts';
import { OwnerForm } from './OwnerForm.tsx';
import { OWNERS, type Owner, type OwnerKind, ownerOf } from './owners.ts';
import styles from './permissions.module.css';
import { RuleTable } from './RuleTable.tsx';
import { permissionWords } from './words.ts';

const LIMIT = 20;

/** The rules of single client ids or usernames: searched, unfolded, written. Page and search live in the URL. */
export function OwnerRules({ kind }: { kind: OwnerKind }) {
  const w = useWords(permissionWords);
  const language = useLanguage();
  const { list: endpoint, like, label, remove: removeEndpoint, key } = OWNERS[kind];
  const filters = useMemo(() => [textFilter(like, label)], [like, label]);
  const { values, set } = useTableState();
  const list = readList(values, { filters: [like], sorts: [], limit: LIMIT });
  const result = useEndpoint<Endpoint>(endpoint, { query: queryOf(list) } as never, { quiet: true });
  const page = result.data as Page<unknown> | undefined;
  const owners = page?.data.map((row) => ownerOf(kind, row));
  const stale = result.isPlaceholderData;

  const instead = stale || !page ? null : pageInstead(page.meta, list, page.data.length);
  useEffect(() => {
    if (instead !== null) set(goTo(instead), 'replace');
  }, [instead, set]);

  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(new Set());
  const fold = (name: string) =>
    setUnfolded(
      (before) => new Set(before.has(name) ? [...before].filter((one) => one !== name) : [...before, name]),
    );
  const [form, setForm] = useState<{ owner: Owner | undefined; nr: number }>();
  const [opened, setOpened] = useState(false);
  const open = (owner: Owner | undefined) => {
    setForm((before) => ({ owner, nr: (before?.nr ?? 0) + 1 }));
    setOpened(true);
  };
  const remove = useAction<Endpoint>(removeEndpoint, {
    confirm: (given) => ({
      title: w.removeAsk({ name: visibleText(nameIn(given)) }),
      text: w.removeText,
      action: w.remove,
      danger: true,
    }),
    refresh: [endpoint],
    success: (_, given) => w.removed({ name: visibleText(nameIn(given)) }),
  });
  const nameIn = (given: unknown): string => (given as { params: Record<string, string> }).params[key] ?? '';
  const filtered = Object.keys(list.filters).length > 0;

  return (
    <>
      <div className={styles.bar}>
        <FilterBar
          filters={filters}
          values={list.filters}
          onSet={(field, value, typing) => set(filterBy({ [field]: value }), typing ? 'replace' : 'push')}
          onClear={() => set(withoutFilters([like]), 'push')}
        />
        <Button leftSection={<IconPlus size={15} />} onClick={() => open(undefined)}>
          {w.add}
        </Button>
      </div>
      {owners && owners.length > 0 ? (
        <div className={styles.scroll}>
          <table className={styles.owners} aria-label={label[language]} aria-busy={stale || undefined}>
            <thead>
              <tr>
                <th scope="col">{label[language]}</th>
                <th scope="col" data-number>
                  {w.rules}
                </th>
                <th scope="col">
                  <span className="visually-hidden">{w.actions}</span>
                </th>
              </tr>
            </thead>
            {owners.map((owner) => (
              <OwnerRow
                key={owner.name}
                owner={owner}
                unfolded={unfolded.has(owner.name)}
                onFold={() => fold(owner.name)}
                onEdit={() => open(owner)}
                onRemove={() => void remove({ params: { [key]: owner.name } } as never)}
              />
            ))}
          </table>
        </div>
      ) : result.error ? (
        <ErrorState title={w.failed} text={sentenceInPlace(result.error)} retry={result.refetch} />
      ) : !owners ? (
        <SkeletonRows rows={4} />
      ) : filtered ? (
        <NoMatch onClear={() => set(withoutFilters([like]), 'push')} />
      ) : (
        <EmptyState title={kind === 'clients' ? w.emptyClients : w.emptyUsers} />
      )}
      {owners && owners.length > 0 && (
        <div className={styles.pages}>
          <Pager
            pager={pagerOf(page?.meta, list, owners.length)}
            limit={list.limit}
            onPage={(number) => set(goTo(number), 'push')}
            onLimit={(size) => set(resize(size, LIMIT), 'push')}
          />
        </div>
      )}
      {form && (
        <OwnerForm
          key={form.nr}
          kind={kind}
          owner={form.owner}
          opened={opened}
          onClose={() => setOpened(false)}
        />
      )}
    </>
  );
}

function OwnerRow({
  owner: { name, rules },
  unfolded,
  onFold,
  onEdit,
  onRemove,
}: {
  owner: Owner;
  unfolded: boolean;
  onFold: () => void;
  onEdit: () => void;
  onRemove: () => void;
}) {
  const w = useWords(permissionWords);
  const language = useLanguage();
  const shown = visibleText(name);
  return (
    <tbody>
      <tr>
        <th scope="row">
          <span className={styles.name}>
            <button
              type="button"
              className={styles.fold}
              aria-expanded={unfolded}
              aria-label={w.showRules({ name: shown })}
              onClick={onFold}
            >
              {unfolded ? <IconChevronDown size={15} /> : <IconChevronRight size={15} />}
              <bdi>{shown}</bdi>
            </button>
            <CopyButton text={name} />
          </span>
        </th>
        <td data-number>{formatNumber(rules.length, language)}</td>
        <td>
          <span className={styles.tools}>
            <button
              type="button"
              className={styles.tool}
              aria-label={w.editName({ name: shown })}
              onClick={onEdit}
            >
              <IconEdit size={15} />
            </button>
            <button
              type="button"
              className={styles.tool}
              data-danger
              aria-label={w.removeName({ name: shown })}
              onClick={onRemove}
            >
              <IconTrash size={15} />
            </button>
          </span>
        </td>
      </tr>
      {unfolded && (
        <tr>
          <td colSpan={3} className={styles.inside}>
            <RuleTable rules={rules} label={w.showRules({ name: shown })} />
          </td>
        </tr>
      )}
    </tbody>
  );
}
